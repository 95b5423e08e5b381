import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import { Body, Controller, Get, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RawConnection } from '@family-watch/testing/clients/raw-connection';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { Environment } from '../../../src/config/environment.js';
import { canSharePort, listen } from '../../../src/http/server/listening-sockets.js';
import { Operation } from '../../../src/http/operation.decorator.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { createTestApplication } from '../../support/test-application.js';

/** So many connections that every listening socket receives one; the system distributes connections by their ports. */
const CONNECTION_COUNT = 64;
/** Milliseconds after which Fastify no longer waits for a hook (`pluginTimeout`). */
const HOOK_TIMEOUT_MS = 10_000;
const WAITING_REQUEST = 'GET /app-api/listening HTTP/1.1\r\nHost: x\r\n\r\n';

/** Completes the request in progress; undefined while no request is in progress. */
let completeRequest: (() => void) | undefined;

@Controller('app-api/listening')
class ListeningController {
  @Get()
  @Operation({ id: 'wait', access: 'public', hasEnvelope: false, summary: 'Respond when the test allows it' })
  async waitForTest(): Promise<object> {
    await new Promise<void>((resolve) => (completeRequest = resolve));
    return {};
  }

  @Post()
  @Operation({ id: 'body', access: 'public', hasEnvelope: false, summary: 'Return the body' })
  echoBody(@Body() body: object): object {
    return body;
  }
}

const clients: RawConnection[] = [];
const openedServers: (NestFastifyApplication | Server)[] = [];

async function startApplication(
  port = 0,
  settings: Partial<Environment> = {},
): Promise<{ app: NestFastifyApplication; url: string }> {
  const app = await createTestApplication([ListeningController], { settings });
  openedServers.push(app);
  await listen(app, { PORT: port, HOST: '127.0.0.1' });
  return { app, url: await app.getUrl() };
}

/** Opens connections on which one request was answered. */
async function openConnections(url: string): Promise<RawConnection[]> {
  const clients = await Promise.all(Array.from({ length: CONNECTION_COUNT }, () => RawConnection.open(url)));
  for (const client of clients) client.send('GET /app-api/unknown HTTP/1.1\r\nHost: x\r\n\r\n');
  return Promise.all(clients.map((client) => client.untilResponses(1)));
}

/** Opens a connection that an additional socket accepts, not the HTTP server itself. */
async function openOnAdditionalSocket({ app, url }: Awaited<ReturnType<typeof startApplication>>) {
  const server = app.getHttpServer();
  for (;;) {
    const accepted = once(server, 'connection');
    const client = await RawConnection.open(url);
    await accepted;
    if ((await promisify(server.getConnections.bind(server))()) === 0) {
      clients.push(client);
      return client;
    }
    client.close();
    await waitUntil(
      'the end of the connection',
      async () => (await promisify(server.getConnections.bind(server))()) === 0,
    );
  }
}

afterEach(async () => {
  jest.useRealTimers();
  completeRequest?.();
  completeRequest = undefined;
  for (const client of clients.splice(0)) client.close();
  for (const server of openedServers.splice(0)) await server.close();
});

needs('linux').test('an application accepts more than two connections in one turn of the event loop', async () => {
  const { app, url } = await startApplication();
  const acceptedByTurn = [0];
  app.getHttpServer().on('connection', () => {
    acceptedByTurn.push((acceptedByTurn.pop() ?? 0) + 1);
  });
  let isCounting = true;
  const startTurn = (): void => {
    acceptedByTurn.push(0);
    if (isCounting) setImmediate(startTurn);
  };
  setImmediate(startTurn);
  clients.push(...(await openConnections(url)));
  isCounting = false;
  // With one listening socket, each turn accepts one connection.
  expect(Math.max(...acceptedByTurn)).toBeGreaterThan(2);
});

test('listen rejects a port on which another socket listens', async () => {
  const { url } = await startApplication();
  await expect(startApplication(Number(new URL(url).port))).rejects.toMatchObject({ code: 'EADDRINUSE' });
  const other = createServer().listen(0, '127.0.0.1');
  openedServers.push(other);
  await once(other, 'listening');
  await expect(startApplication((other.address() as AddressInfo).port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('closing the application refuses new connections and waits for the requests of all its sockets', async () => {
  const { app, url } = await startApplication();
  const idle = await openConnections(url);
  const busy = await RawConnection.open(url);
  busy.send(WAITING_REQUEST);
  await waitUntil('the request in progress', () => completeRequest !== undefined);
  let isClosed = false;
  const closed = app.close().then(() => (isClosed = true));
  await Promise.all(idle.map((client) => client.untilEnded()));
  await expect(RawConnection.open(url)).rejects.toThrow();
  expect(isClosed).toBe(false);
  completeRequest?.();
  await busy.untilResponses(1);
  expect(busy.statuses).toEqual([200]);
  await closed;
});

needs('linux').test(
  'close waits for requests of additional sockets that last longer than the hook timeout of Fastify',
  async () => {
    const started = await startApplication(0, { SHUTDOWN_GRACE: 300 });
    const { app } = started;
    const busy = await openOnAdditionalSocket(started);
    busy.send(WAITING_REQUEST);
    await waitUntil('the request in progress', () => completeRequest !== undefined);
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'setInterval', 'queueMicrotask', 'performance', 'Date'],
    });
    let isClosed = false;
    const closed = app.close().then(() => (isClosed = true));
    while (app.getHttpServer().listening) await nextTurn();
    jest.advanceTimersByTime(HOOK_TIMEOUT_MS);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(isClosed).toBe(false);
    jest.useRealTimers();
    completeRequest?.();
    completeRequest = undefined;
    await busy.untilResponses(1);
    expect(busy.statuses).toEqual([200]);
    await closed;
  },
);

needs('linux').test(
  'a body that stalls while the application closes ends with REQUEST_TIMEOUT on every socket',
  async () => {
    const started = await startApplication(0, { SHUTDOWN_GRACE: 300, HTTP_BODY_TIMEOUT: 1, HTTP_STALL_TIMEOUT: 1 });
    const stalled = await openOnAdditionalSocket(started);
    const headers = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 100';
    const received = once(started.app.getHttpServer(), 'request');
    stalled.send(`POST /app-api/listening HTTP/1.1\r\n${headers}\r\n\r\n{`);
    await received;
    const closed = started.app.close();
    expect((await stalled.untilEnded()).statuses).toEqual([408]);
    await closed;
  },
);

test.each([
  ['linux', '24.0.0', true],
  ['linux', '23.1.0', true],
  ['linux', '23.0.0', false],
  ['linux', '22.12.0', true],
  ['linux', '22.11.0', false],
  ['linux', '20.19.0', false],
  ['darwin', '24.0.0', false],
])('canSharePort on %s with Node %s returns %s', (platform, version, expected) => {
  expect(canSharePort(platform, version)).toBe(expected);
});
