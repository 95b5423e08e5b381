import { createServer } from 'node:http';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

/** Runs `@tus/server` as in its README: files in a folder, neither hashed nor synced. Environment: `FOLDER`, `PORT`. */
const { FOLDER = '', PORT } = process.env;
const tus = new Server({ path: '/files', datastore: new FileStore({ directory: FOLDER }) });
const server = createServer((request, response) => void tus.handle(request, response));
server.listen(Number(PORT), '127.0.0.1', () => process.stdout.write('bare tus is ready\n'));
