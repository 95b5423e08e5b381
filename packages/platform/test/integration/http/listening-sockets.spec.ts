import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RawConnection } from '@family-watch/testing/clients/raw-connection';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { Authenticator } from '../../../src/auth/authenticator.js';
import { Environment } from '../../../src/config/environment.js';
import { createApplication } from '../../../src/http/create-application.js';
import { listen } from '../../../src/http/listening-sockets.js';
import { Operation } from '../../../src/http/operation.decorator.js';
import { createLogger } from '../../../src/observability/logger.js';

/** Enough that every listening socket receives one; the system distributes them by their ports. */
const CONNECTIONS = 64;
const testOnLinux = process.platform === 'linux' ? test : test.skip;

/** Completes the request in progress; undefined while there is none. */
let complete: (() => void) | undefined;

@Controller('app-api/listening')
class ListeningController {
  @Get()
  @Operation({ id: 'wait', access: 'public', hasEnvelope: false, summary: 'Respond when the test allows it' })
  async wait(): Promise<object> {
    await new Promise<void>((resolve) => (complete = resolve));
    return {};
  }
}

@Module({ controllers: [ListeningController] })
class ListeningModule {}

const opened: (NestFastifyApplication | Server)[] = [];

async function startApplication(port = 0): Promise<{ app: NestFastifyApplication; url: string }> {
  const app = await createApplication({
    module: ListeningModule,
    environment: new Environment(),
    logger: createLogger('silent', 'test'),
    authenticator: {} as Authenticator,
  });
  opened.push(app);
  await listen(app, { PORT: port, HOST: '127.0.0.1' });
  return { app, url: await app.getUrl() };
}

/** Opens connections on which one request was answered. */
async function openConnections(url: string): Promise<RawConnection[]> {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(url)));
  for (const client of clients) client.send('GET /app-api/unknown HTTP/1.1\r\nHost: x\r\n\r\n');
  return Promise.all(clients.map((client) => client.untilResponses(1)));
}

afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

testOnLinux('accepts many connections in one turn of the event loop', async () => {
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
  const clients = await openConnections(url);
  isCounting = false;
  for (const client of clients) client.close();
  // With one listening socket, each turn accepts one connection.
  expect(Math.max(...acceptedByTurn)).toBeGreaterThan(2);
});

test('a port on which another socket listens is rejected', async () => {
  const { url } = await startApplication();
  await expect(startApplication(Number(new URL(url).port))).rejects.toMatchObject({ code: 'EADDRINUSE' });
  const other = createServer().listen(0, '127.0.0.1');
  opened.push(other);
  await once(other, 'listening');
  await expect(startApplication((other.address() as AddressInfo).port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('close refuses new connections and waits for the requests of all sockets', async () => {
  const { app, url } = await startApplication();
  const idle = await openConnections(url);
  const busy = await RawConnection.open(url);
  busy.send('GET /app-api/listening HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitUntil('the request in progress', () => complete !== undefined);
  let isClosed = false;
  const closed = app.close().then(() => (isClosed = true));
  await Promise.all(idle.map((client) => client.untilEnded()));
  await expect(RawConnection.open(url)).rejects.toThrow();
  expect(isClosed).toBe(false);
  complete?.();
  await busy.untilResponses(1);
  expect(busy.statuses).toEqual([200]);
  await closed;
});
