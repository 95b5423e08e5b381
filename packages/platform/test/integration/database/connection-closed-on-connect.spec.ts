import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { openAppDatabase } from '../../../src/database/app-database.js';

/** Encodes a server message: type letter, length and content. */
function encodeMessage(letter: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(letter), length, content]);
}

const AUTHENTICATION_OK_MESSAGE = encodeMessage('R', Buffer.alloc(4));
const READY_MESSAGE = encodeMessage('Z', Buffer.from('I'));
const SHUTTING_DOWN_MESSAGE = encodeMessage('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

/**
 * Accepts the authentication of every connection, and sends an error and closes the connection in the same packet, like
 * a database server that is shutting down.
 */
let server: Server;

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.end(Buffer.concat([AUTHENTICATION_OK_MESSAGE, READY_MESSAGE, SHUTTING_DOWN_MESSAGE])),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

test('openAppDatabase rejects without a crash when the server closes the connection on opening', async () => {
  const { port } = server.address() as AddressInfo;
  const url = `postgres://app@127.0.0.1:${port}/app`;
  await expect(openAppDatabase({ name: 'app', schema: 'app', url, entities: [] })).rejects.toThrow('DATABASE_URL');
});
