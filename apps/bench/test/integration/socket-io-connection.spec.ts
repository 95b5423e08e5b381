import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from 'socket.io';
import type { Socket } from 'socket.io';
import { SocketIoConnection } from '../../src/load/socket-io-connection.js';
import { RoundRobin } from '../../src/servers/round-robin.js';

const http = createServer();
const server = new Server(http, { transports: ['websocket'], pingInterval: 100, pingTimeout: 10_000 });
const endpoint = { host: '127.0.0.1', port: 0 };
let socket: Socket;

beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  endpoint.port = (http.address() as AddressInfo).port;
  server.use((client, next) => next(client.handshake.auth['token'] === 'good' ? undefined : new Error('refused')));
  server.on('connection', (client) => {
    socket = client;
    client.emit('hello', { first: true });
    client.on('echo', (payload: unknown, answer: (given: unknown) => void) => answer(payload));
  });
});

afterAll(() => server.close());

async function open(): Promise<{ connection: SocketIoConnection; events: [string, unknown][] }> {
  const connection = await SocketIoConnection.open(endpoint, { token: 'good' });
  const events: [string, unknown][] = [];
  connection.onEvent = (event, argument) => events.push([event, argument]);
  return { connection, events };
}

/** Resolves when the client has answered the server's ping. */
async function nextPong(): Promise<void> {
  const [packet] = (await once(socket.conn, 'packet')) as [{ type: string }];
  if (packet.type !== 'pong') await nextPong();
}

test('what is sent at once is answered, each by its own callback, whatever its size', async () => {
  const { connection, events } = await open();
  const texts = ['', 'ä'.repeat(100), 'x'.repeat(125), 'x'.repeat(126), 'y'.repeat(65_536), 'z'.repeat(300_000)];
  const answers = await Promise.all(
    texts.map((text) => new Promise((resolve) => connection.emit('echo', JSON.stringify({ text }), resolve))),
  );
  expect(answers).toEqual(texts.map((text) => ({ text })));
  expect(events).toEqual([['hello', { first: true }]]);
  connection.close();
});

test('events keep their order while the server’s pings are answered', async () => {
  const { connection, events } = await open();
  for (let number = 0; number < 50; number++) socket.emit('number', { number, filling: 'f'.repeat(number * 500) });
  for (let ping = 0; ping < 3; ping++) await nextPong();
  expect(events.slice(1).map(([, argument]) => (argument as { number: number }).number)).toEqual([...Array(50).keys()]);
  expect(connection.isClosed).toBe(false);
  connection.close();
});

test('a refused handshake rejects', async () => {
  await expect(SocketIoConnection.open(endpoint, { token: 'bad' })).rejects.toThrow('refused');
});

test('a lost connection is told once', async () => {
  const { connection } = await open();
  let lost = 0;
  await new Promise<void>((resolve) => {
    connection.onClose = () => {
      lost += 1;
      resolve();
    };
    socket.conn.close();
  });
  await sleep(100); // a second call would come with the end of the TCP connection
  expect(lost).toBe(1);
  expect(connection.isClosed).toBe(true);
});

test('behind one address, connections go to the server that takes them', async () => {
  const nobody = { host: '127.0.0.1', port: 1 };
  const front = await RoundRobin.start([nobody, endpoint, nobody]);
  for (let time = 0; time < 4; time++) {
    const connection = await SocketIoConnection.open(front.endpoint, { token: 'good' });
    expect(await new Promise((resolve) => connection.emit('echo', '{"a":1}', resolve))).toEqual({ a: 1 });
    connection.close();
  }
  front.close();
});
