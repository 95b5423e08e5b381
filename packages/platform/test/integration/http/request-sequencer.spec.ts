import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { RawConnection } from '@family-watch/testing/clients/raw-connection';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ConnectionTable, parseNetworks } from '../../../src/http/server/connection-table.js';
import { RequestSequencer } from '../../../src/http/request-sequencer.js';

const CLIENT_COUNT = 1_280;
/** Longer than a test on a busy machine: requests are overdue only at the time that a test passes. */
const TIMEOUT_MS = 10 * 60_000;
const REQUEST_LINE = 'POST / HTTP/1.1\r\nHost: test\r\n';
const STALLED_REQUEST = `${REQUEST_LINE}Content-Length: 100\r\n\r\n{`;

let server: Server;
let sequencer: RequestSequencer;
/** The server's sockets. */
let sockets: Socket[];
/** Number of requests whose headers have arrived. */
let received: number;
let clients: RawConnection[];

beforeEach(async () => {
  const limits = { perAddress: 2 * CLIENT_COUNT, total: 2 * CLIENT_COUNT, unreadBytes: Infinity };
  const connections = new ConnectionTable(limits, parseNetworks());
  received = 0;
  sockets = [];
  sequencer = new RequestSequencer(() => (received += 1), connections, { body: TIMEOUT_MS, stall: TIMEOUT_MS });
  server = createServer((request, response) => sequencer.receive(request, response));
  server.on('connection', (socket) => {
    connections.add(socket);
    sockets.push(socket);
  });
  await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 2 * CLIENT_COUNT }), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  clients = await Promise.all(Array.from({ length: CLIENT_COUNT }, () => RawConnection.open(url)));
  await waitUntil('all connections are accepted', () => sockets.length === CLIENT_COUNT);
});
afterEach(() => {
  for (const client of clients) client.close();
  server.close();
});

const timedOut = () => clients.filter(({ statuses }) => statuses[0] === 408).length;

async function expectGradualEnd(): Promise<void> {
  for (const total of [40, 79, 117]) {
    sequencer.endOverdue(performance.now() + 2 * TIMEOUT_MS);
    await waitUntil('the responses arrive', () => timedOut() >= total);
    expect(timedOut()).toBe(total);
  }
}

test('each call of endOverdue ends one of every 32 overdue request bodies, and at least 32 request bodies', async () => {
  for (const client of clients) client.send(STALLED_REQUEST);
  await waitUntil('all requests are received', () => received === CLIENT_COUNT);
  await expectGradualEnd();
  await waitUntil('all connections have ended', () => {
    sequencer.endOverdue(performance.now() + 2 * TIMEOUT_MS);
    return clients.every(({ isEnded }) => isEnded);
  });
});

test('each call of endOverdue ends one of every 32 connections whose headers are overdue, and at least 32', async () => {
  expect(sockets.every((socket) => sequencer.endOverdueHeaders(socket))).toBe(true);
  await expectGradualEnd();
});

test('endOverdue does not end a connection whose overdue headers have arrived', async () => {
  for (const socket of sockets) sequencer.endOverdueHeaders(socket);
  const [late] = clients.splice(0, 1);
  late?.send(STALLED_REQUEST);
  await waitUntil('the request is received', () => received === 1);
  await waitUntil('the other connections have ended', () => {
    sequencer.endOverdue();
    return clients.every(({ isEnded }) => isEnded);
  });
  expect([late?.isEnded, timedOut()]).toEqual([false, CLIENT_COUNT - 1]);
  late?.close();
});

test('endOverdueHeaders returns false while a request of the connection is in progress', async () => {
  clients[0]?.send(STALLED_REQUEST);
  await waitUntil('the request is received', () => received === 1);
  expect(sockets.filter((socket) => !sequencer.endOverdueHeaders(socket))).toHaveLength(1);
});
