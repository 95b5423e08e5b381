import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '@family-watch/testing/network/free-ports';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { NatsUnavailableError } from '../../src/errors.js';
import { connectNats, waitForNats } from '../../src/nats-connection.js';
import { RecordingLogger } from '../support/recording-logger.js';

/** A minimal NATS server that supports only authentication, with a password that may change. */
class AuthenticatingServer {
  password = 'right';
  rejections = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  closeConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.closeConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.write('INFO {"server_id":"x","version":"2.10.0","proto":1,"max_payload":1048576,"auth_required":true}\r\n');
    socket.on('data', (data) => {
      for (const line of data.toString().split('\r\n')) this.#respond(socket, line);
    });
  }

  #respond(socket: Socket, line: string): void {
    if (line === 'PING') socket.write('PONG\r\n');
    if (!line.startsWith('CONNECT ')) return;
    const { pass } = JSON.parse(line.slice('CONNECT '.length)) as { pass?: string };
    if (pass === this.password) return;
    this.rejections += 1;
    socket.end("-ERR 'Authorization Violation'\r\n");
  }
}

let server: AuthenticatingServer;
let address: string;

beforeEach(async () => {
  server = new AuthenticatingServer();
  address = await server.listen();
});
afterEach(() => server.close());

test('the NATS connection keeps reconnecting while the server temporarily rejects the password', async () => {
  const connection = await connectNats({ url: `nats://app:right@${address}`, name: 'test' });
  server.password = 'changed';
  server.closeConnections();
  await waitFor(() => expect(server.rejections).toBeGreaterThan(3));
  expect(connection.isClosed()).toBe(false);
  server.password = 'right';
  await waitFor(() => connection.flush());
  await connection.close();
});

test('an app that starts before the server accepts it waits, and logs the reason once', async () => {
  const logger = new RecordingLogger();
  server.password = 'later';
  const connecting = waitForNats({ url: `nats://app:right@${address}`, name: 'test', logger });
  await waitFor(() => expect(server.rejections).toBeGreaterThan(2));
  server.password = 'right';
  await (await connecting).close();
  expect(logger.lines).toEqual([
    {
      level: 'warn',
      message: 'Waiting for NATS',
      context: { reason: `Cannot connect to NATS of NATS_URL (${address}): Authorization Violation` },
    },
  ]);
});

test('a command fails with the host and the reason when no server is reachable', async () => {
  const unused = await freePort();
  const connecting = connectNats({ url: `nats://app:secret@127.0.0.1:${unused}`, name: 'test' });
  await expect(connecting).rejects.toThrow(NatsUnavailableError);
  await expect(connecting).rejects.toThrow(/^Cannot connect to NATS of NATS_URL \(127\.0\.0\.1:\d+\): .*refused/i);
});
