import { createServer } from 'node:http';
import { basename } from 'node:path';

/**
 * Lets nginx send each file without any check, which is the lowest cost that a decision about a download can have in
 * Node. Environment: `PORT`.
 */
const server = createServer((request, response) => {
  response.writeHead(200, { 'x-accel-redirect': `/_blobs/${basename(request.url ?? '')}` }).end();
});

server.listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('bare offload is ready\n'));
