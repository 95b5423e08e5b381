import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server, type Socket } from 'socket.io';
import { SocketIoConnection } from '../../src/load/socket-io-connection.js';
import { RoundRobinProxy } from '../../src/servers/round-robin-proxy.js';

const http = createServer();
const server = new Server(http, { transports: ['websocket'], pingInterval: 100, pingTimeout: 10_000 });
const endpoint = { host: '127.0.0.1', port: 0 };
let socket: Socket;

beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  endpoint.port = (http.address() as AddressInfo).port;
  server.use((client, next) => next(client.handshake.auth['token'] === 'good' ? undefined : new Error('rejected')));
  server.on('connection', (client) => {
    socket = client;
    client.emit('hello', { first: true });
    client.on('echo', (payload: unknown, respond: (response: unknown) => void) => respond(payload));
  });
});

afterAll(() => server.close());

async function open(): Promise<{ connection: SocketIoConnection; events: [string, unknown][] }> {
  const connection = await SocketIoConnection.open(endpoint, { token: 'good' });
  const events: [string, unknown][] = [];
  connection.onEvent = (event, argument) => events.push([event, argument]);
  return { connection, events };
}

/** Resolves when the server receives a pong from the client. */
async function nextPong(): Promise<void> {
  const [packet] = (await once(socket.conn, 'packet')) as [{ type: string }];
  if (packet.type !== 'pong') await nextPong();
}

test('SocketIoConnection passes the response of each concurrent event to its callback, for texts of 0 to 300,000 characters', async () => {
  const { connection, events } = await open();
  const texts = ['', 'ä'.repeat(100), 'x'.repeat(125), 'x'.repeat(126), 'y'.repeat(65_536), 'z'.repeat(300_000)];
  const responses = await Promise.all(
    texts.map((text) => new Promise((resolve) => connection.emit('echo', JSON.stringify({ text }), resolve))),
  );
  expect(responses).toEqual(texts.map((text) => ({ text })));
  expect(events).toEqual([['hello', { first: true }]]);
  connection.close();
});

test('SocketIoConnection delivers events in order while it responds to pings', async () => {
  const { connection, events } = await open();
  for (let number = 0; number < 50; number++) socket.emit('number', { number, padding: 'f'.repeat(number * 500) });
  for (let ping = 0; ping < 3; ping++) await nextPong();
  expect(events.slice(1).map(([, argument]) => (argument as { number: number }).number)).toEqual([...Array(50).keys()]);
  expect(connection.isClosed).toBe(false);
  connection.close();
});

test('SocketIoConnection.open rejects when the server rejects the handshake', async () => {
  await expect(SocketIoConnection.open(endpoint, { token: 'bad' })).rejects.toThrow('rejected');
});

test('SocketIoConnection calls onClose once when the connection is lost', async () => {
  const { connection } = await open();
  let closeCalls = 0;
  await new Promise<void>((resolve) => {
    connection.onClose = () => {
      closeCalls += 1;
      resolve();
    };
    socket.conn.close();
  });
  // Waits for the end of the TCP connection, which must not cause a second call.
  await sleep(100);
  expect(closeCalls).toBe(1);
  expect(connection.isClosed).toBe(true);
});

test('RoundRobinProxy forwards a connection to a server that accepts it', async () => {
  const unreachable = { host: '127.0.0.1', port: 1 };
  const proxy = await RoundRobinProxy.start([unreachable, endpoint, unreachable]);
  for (let time = 0; time < 4; time++) {
    const connection = await SocketIoConnection.open(proxy.endpoint, { token: 'good' });
    expect(await new Promise((resolve) => connection.emit('echo', '{"a":1}', resolve))).toEqual({ a: 1 });
    connection.close();
  }
  proxy.close();
});
