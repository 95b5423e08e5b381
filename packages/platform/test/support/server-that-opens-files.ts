import { open } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { Environment } from '../../src/config/environment.js';
import { createHttpServer } from '../../src/http/server/http-server.js';

const FILES_PER_REQUEST = 16;

/** Server that prints its URL, opens files during each request, and responds with the number of files. */
const server = createHttpServer((request, response) => {
  if (request.method === 'POST') return;
  void Promise.all(Array.from({ length: FILES_PER_REQUEST }, () => open('/dev/null'))).then(async (files) => {
    await Promise.all(files.map((file) => file.close()));
    response.end(JSON.stringify({ files: files.length }));
  });
}, new Environment());
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
