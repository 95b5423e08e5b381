import { setImmediate as nextImmediate, setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Body, Controller, Get, Param, Post, Put, Req, Res } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { loopbackAddress } from '@family-watch/testing/clients/loopback-address';
import { RawConnection } from '@family-watch/testing/clients/raw-connection';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { Environment } from '../../../src/config/environment.js';
import { releaseFromAddressLimit } from '../../../src/http/server/connection-table.js';
import { Operation } from '../../../src/http/operation.decorator.js';
import { allowSlowBody, excludeFromUnreadLimit } from '../../../src/http/request-sequencer.js';
import { startTestApplication } from '../../support/test-application.js';

const MIB = 1024 * 1024;
const UNREAD_LIMIT_BYTES = 32 * MIB;
/** Size in mebibytes of a response that exceeds what the system buffers for a client that does not read. */
const UNBUFFERED_RESPONSE_MEBIBYTES = 16;
const CONNECTIONS_PER_ADDRESS = 8;
const TIMEOUT_SECONDS = 1;

const PUBLIC_OPERATION = { access: 'public', hasEnvelope: false } as const;

@Controller('app-api/limits')
class LimitsController {
  /** Current and largest number of requests that a handler processes at the same time. */
  readonly concurrency = { current: 0, maximum: 0 };

  @Get('numbers/:number')
  @Operation({ ...PUBLIC_OPERATION, id: 'number', summary: 'Return the number after a turn of the event loop' })
  async echoNumber(@Param('number') number: string): Promise<{ number: string }> {
    this.concurrency.current += 1;
    this.concurrency.maximum = Math.max(this.concurrency.maximum, this.concurrency.current);
    await new Promise((resolve) => setImmediate(resolve));
    this.concurrency.current -= 1;
    return { number };
  }

  @Get('mebibytes/:count')
  @Operation({ ...PUBLIC_OPERATION, id: 'mebibytes', summary: 'Return mebibytes of JSON' })
  returnMebibytes(@Param('count') count: string): { text: string } {
    return { text: 'x'.repeat(Number(count) * MIB) };
  }

  @Get('bounded/:count')
  @Operation({
    ...PUBLIC_OPERATION,
    id: 'bounded',
    direct: true,
    summary: 'Return mebibytes that do not count as unread',
  })
  async returnBoundedMebibytes(@Req() { params }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    excludeFromUnreadLimit(reply.raw);
    await reply.send({ text: 'x'.repeat(Number((params as { count: string }).count) * MIB) });
  }

  @Post('body')
  @Operation({ ...PUBLIC_OPERATION, id: 'body', summary: 'Return the body' })
  echoBody(@Body() body: object): object {
    return body;
  }

  @Put('upload')
  @Operation({ ...PUBLIC_OPERATION, id: 'upload', direct: true, summary: 'Return the number of bytes' })
  async countUploadedBytes(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    let bytes = 0;
    for await (const chunk of raw as AsyncIterable<Buffer>) bytes += chunk.length;
    await reply.send({ bytes });
  }
}

const startApplication = (settings: Partial<Environment>) =>
  startTestApplication([LimitsController], {
    settings: { RATE_LIMIT_REQUESTS: 1_000_000, ...settings },
    configure: (built) => {
      const fastify = built.getHttpAdapter().getInstance();
      fastify.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null));
      fastify.addHook('onRequest', async (request) => {
        if (request.url.endsWith('/upload')) allowSlowBody(request.raw);
      });
    },
  });

const getRequest = (path: string): string => `GET /app-api/limits/${path} HTTP/1.1\r\nHost: test\r\n\r\n`;
const postRequest = (path: string, headers: string): string =>
  `POST /app-api/limits/${path} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`;
/** Header of a body that the tests never complete. */
const INCOMPLETE_BODY_HEADER = 'Content-Length: 100';
const uploadRequest = (bytes: number): string =>
  `PUT /app-api/limits/upload HTTP/1.1\r\nHost: test\r\nContent-Type: application/octet-stream\r\nContent-Length: ${bytes}\r\n\r\n`;

let app: NestFastifyApplication;
let url: string;
const openedConnections: RawConnection[] = [];

async function openConnection(address = loopbackAddress()): Promise<RawConnection> {
  const connection = await RawConnection.open(url, address);
  openedConnections.push(connection);
  return connection;
}

async function expectServed(address = loopbackAddress()): Promise<void> {
  const connection = await openConnection(address);
  connection.send(getRequest('numbers/1'));
  expect((await connection.untilResponses(1)).statuses).toEqual([200]);
  connection.close();
}

async function stopApplication(): Promise<void> {
  for (const connection of openedConnections.splice(0)) connection.close();
  await app.close();
}

describe('A31 limits of the requests and responses of a client', () => {
  const serverSockets = new Set<Socket>();
  let closed = 0;

  beforeAll(async () => {
    ({ app, url } = await startApplication({}));
    app.getHttpServer().on('connection', (socket: Socket) => {
      serverSockets.add(socket);
      socket.once('close', () => {
        serverSockets.delete(socket);
        closed += 1;
      });
    });
  });
  afterAll(() => stopApplication());

  afterEach(async () => {
    for (const connection of openedConnections.splice(0)) connection.close();
    await waitUntil('the end of all connections', () => serverSockets.size === 0);
  });

  test('pipelined requests are handled one after another and answered in order', async () => {
    const { concurrency } = app.get(LimitsController);
    concurrency.maximum = 0;
    const connection = await openConnection();
    connection.send(Array.from({ length: 8 }, (_, index) => getRequest(`numbers/${index}`)).join(''));
    await connection.untilResponses(8);
    const numbers = [...connection.text.matchAll(/"number":"(\d)"/g)].map(([, number]) => number).join('');
    expect([numbers, concurrency.maximum]).toEqual(['01234567', 1]);
    connection.send(getRequest('numbers/8'));
    await connection.untilResponses(9);
  });

  test('a request with two Host headers is rejected', async () => {
    const connection = (await openConnection()).send(
      'GET /app-api/limits/numbers/1 HTTP/1.1\r\nHost: test\r\nHost: other\r\n\r\n',
    );
    expect((await connection.untilEnded()).statuses).toEqual([400]);
    expect(connection.lastBody).toMatchObject({ reason: 'MALFORMED_REQUEST' });
  });

  test('a connection ends when more than eight pipelined requests wait', async () => {
    const { concurrency } = app.get(LimitsController);
    const connection = await openConnection();
    connection.send(getRequest('numbers/1').repeat(1_400));
    await connection.untilEnded();
    expect(connection.statuses.length).toBeLessThan(20);
    await waitUntil('the end of the handler', () => concurrency.current === 0);
    await expectServed();
  });

  test('unread responses of all clients together occupy at most 32 MiB', async () => {
    const connections = await Promise.all(Array.from({ length: 5 }, () => openConnection('127.0.0.9')));
    const closedBefore = closed;
    for (const connection of connections)
      connection.stopReading().send(getRequest(`mebibytes/${UNBUFFERED_RESPONSE_MEBIBYTES}`));
    await waitUntil('the end of all but two connections', () => closed >= closedBefore + 3);
    const unread = () => [...serverSockets].reduce((sum, { writableLength }) => sum + writableLength, 0);
    for (let round = 0; round < 10; round += 1) {
      await expectServed();
      expect(unread()).toBeLessThanOrEqual(UNREAD_LIMIT_BYTES);
    }
  });

  test('a response whose handler bounds its buffer does not count as unread', async () => {
    const bounded = await Promise.all(Array.from({ length: 3 }, () => openConnection('127.0.0.9')));
    for (const connection of bounded)
      connection.stopReading().send(getRequest(`bounded/${UNBUFFERED_RESPONSE_MEBIBYTES}`));
    const others = await Promise.all(Array.from({ length: 3 }, () => openConnection('127.0.0.9')));
    const closedBefore = closed;
    for (const connection of others)
      connection.stopReading().send(getRequest(`mebibytes/${UNBUFFERED_RESPONSE_MEBIBYTES}`));
    await waitUntil('the end of one connection', () => closed === closedBefore + 1);
    for (const connection of bounded) connection.socket.resume();
    const isComplete = () => bounded.every(({ text }) => text.length > UNBUFFERED_RESPONSE_MEBIBYTES * MIB);
    await waitUntil('the whole responses', isComplete);
  });

  test('at the limit, connections of the address with the most unread bytes are closed, not those of another slow client', async () => {
    const slow = await openConnection('127.0.0.8');
    slow.stopReading().send(getRequest(`mebibytes/${UNBUFFERED_RESPONSE_MEBIBYTES - 4}`));
    await waitUntil('the response', () => [...serverSockets].some(({ writableLength }) => writableLength > 0));
    const connections = await Promise.all(Array.from({ length: 3 }, () => openConnection('127.0.0.9')));
    const closedBefore = closed;
    for (const connection of connections)
      connection.stopReading().send(getRequest(`mebibytes/${UNBUFFERED_RESPONSE_MEBIBYTES}`));
    await waitUntil('the end of two connections', () => closed === closedBefore + 2);
    slow.socket.resume();
    await waitUntil('the whole response', () => slow.text.length > (UNBUFFERED_RESPONSE_MEBIBYTES - 4) * MIB);
    expect(slow.statuses).toEqual([200]);
  });
});

describe('A32 timeouts of a client', () => {
  /** Test functions by case. All cases run at the same time, because each case takes as long as a timeout. */
  const cases: Record<string, () => Promise<void>> = {
    'a request without the end of its headers gets REQUEST_TIMEOUT': async () => {
      const silent = await openConnection();
      const partial = (await openConnection()).send('GET /app-api/limits/numbers/1 HTTP/1.1\r\nHost: te');
      for (const connection of [silent, partial]) {
        expect((await connection.untilEnded()).statuses).toEqual([408]);
        expect(connection.lastBody).toMatchObject({ code: 408001, reason: 'REQUEST_TIMEOUT' });
      }
    },

    'a connection without requests is closed': async () => {
      const connection = (await openConnection()).send(getRequest('numbers/1'));
      expect((await connection.untilEnded()).statuses).toEqual([200]);
    },

    'a body that stalls or trickles gets REQUEST_TIMEOUT': async () => {
      const stalled = (await openConnection()).send(`${postRequest('body', INCOMPLETE_BODY_HEADER)}{`);
      const trickling = (await openConnection()).send(`${postRequest('body', 'Transfer-Encoding: chunked')}1\r\n{\r\n`);
      const timer = setInterval(() => trickling.send('1\r\n \r\n'), 100);
      try {
        for (const connection of [stalled, trickling]) {
          expect((await connection.untilEnded()).statuses).toEqual([408]);
          expect(connection.lastBody).toMatchObject({ reason: 'REQUEST_TIMEOUT' });
        }
      } finally {
        clearInterval(timer);
      }
    },

    'a body that arrives slowly, but faster than the minimum rate, is accepted': async () => {
      const [chunks, bytesPerChunk] = [10, 2_000];
      const slow = (await openConnection()).send(postRequest('body', `Content-Length: ${chunks * bytesPerChunk}`));
      for (let chunk = 0; chunk < chunks; chunk += 1) {
        await sleep(100);
        slow.send(chunk === chunks - 1 ? '{}'.padStart(bytesPerChunk) : ' '.repeat(bytesPerChunk));
      }
      expect((await slow.untilResponses(1)).statuses).toEqual([200]);
    },

    'a body that stalls after an early response ends the connection': async () => {
      const head = 'POST /app-api/limits/body HTTP/1.1\r\nHost: test\r\nContent-Type: text/plain';
      const connection = (await openConnection()).send(`${head}\r\n${INCOMPLETE_BODY_HEADER}\r\n\r\n{`);
      expect((await connection.untilEnded()).statuses[0]).toBe(415);
    },

    'an upload may take longer than the timeout of a body, and ends when it stalls': async () => {
      const progressing = (await openConnection()).send(uploadRequest(1_000));
      const stalled = (await openConnection()).send(`${uploadRequest(1_000)}x`);
      let sent = 0;
      const timer = setInterval(() => (progressing.send('x'), (sent += 1)), 100);
      try {
        expect((await stalled.untilEnded()).statuses).toEqual([408]);
      } finally {
        clearInterval(timer);
      }
      progressing.send('x'.repeat(1_000 - sent));
      expect((await progressing.untilResponses(1)).lastBody).toEqual({ bytes: 1_000 });
    },

    'a response that the client does not read ends the connection': async () => {
      const address = loopbackAddress() ?? '127.0.0.1';
      const closed = new Promise<void>((resolve) => {
        app.getHttpServer().on('connection', (socket: Socket) => {
          if (socket.remoteAddress === address) socket.once('close', () => resolve());
        });
      });
      (await openConnection(address)).stopReading().send(getRequest(`mebibytes/${UNBUFFERED_RESPONSE_MEBIBYTES}`));
      await closed;
    },
  };
  const running = new Map<string, Promise<void>>();

  beforeAll(async () => {
    ({ app, url } = await startApplication({
      HTTP_HEAD_TIMEOUT: TIMEOUT_SECONDS,
      HTTP_BODY_TIMEOUT: TIMEOUT_SECONDS,
      HTTP_IDLE_TIMEOUT: TIMEOUT_SECONDS,
      HTTP_STALL_TIMEOUT: TIMEOUT_SECONDS,
    }));
    for (const [title, run] of Object.entries(cases)) {
      const result = run();
      result.catch(() => undefined);
      running.set(title, result);
    }
  });
  afterAll(() => stopApplication());

  test.each(Object.keys(cases))('the server enforces its timeouts in the case: %s', (title) => running.get(title));
});

describe('timeouts after a pause of the process', () => {
  beforeAll(async () => {
    ({ app, url } = await startApplication({ HTTP_STALL_TIMEOUT: TIMEOUT_SECONDS }));
  });
  afterAll(() => stopApplication());

  test('bytes that arrived during the pause count as progress of an upload', async () => {
    const connection = (await openConnection()).send(`${uploadRequest(3)}x`);
    await expectServed();
    // The event loop runs timers first after this phase.
    await nextImmediate();
    connection.send('x');
    // Blocks the event loop for longer than the timeout and the interval of its check.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * TIMEOUT_SECONDS * 1_000);
    // The first turn of the event loop schedules the check, which follows at the end of the same turn.
    await nextImmediate();
    await nextImmediate();
    expect((await connection.send('x').untilResponses(1)).lastBody).toEqual({ bytes: 3 });
  });
});

describe('A32 limits of the number of connections', () => {
  beforeAll(async () => {
    ({ app, url } = await startApplication({ HTTP_CONNECTIONS_PER_ADDRESS: CONNECTIONS_PER_ADDRESS }));
  });
  afterAll(() => stopApplication());

  test('at the limit, a further connection of an address replaces its connection that has been inactive for the longest time', async () => {
    const address = '127.0.0.7';
    const first = (await openConnection(address)).send(`${postRequest('body', INCOMPLETE_BODY_HEADER)}{`);
    const others = [];
    for (let number = 1; number < CONNECTIONS_PER_ADDRESS; number += 1)
      others.push((await openConnection(address)).send(`${postRequest('body', INCOMPLETE_BODY_HEADER)}{`));
    await expectServed();
    expect(first.isEnded).toBe(false);
    await expectServed(address);
    await first.untilEnded();
    expect(others.filter(({ isEnded }) => isEnded)).toEqual([]);
  });

  test('connections leave a quarter of the open-file limit for files', async () => {
    const program = join(import.meta.dirname, '../../support/server-that-opens-files.ts');
    const loader = join(import.meta.dirname, '../../../../testing/jest/load-typescript.mjs');
    const command = 'ulimit -n 256; exec "$0" "$@"';
    const child = spawn('sh', ['-c', command, process.execPath, '--import', loader, program], {
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const limitedUrl = line.toString().trim();
    const connections = [];
    try {
      for (let number = 0; number < 400; number += 1)
        connections.push(
          (await RawConnection.open(limitedUrl, loopbackAddress())).send(postRequest('body', INCOMPLETE_BODY_HEADER)),
        );
      const request = (await RawConnection.open(limitedUrl, loopbackAddress())).send(getRequest('files'));
      connections.push(request);
      expect((await request.untilResponses(1)).lastBody).toEqual({ files: 16 });
    } finally {
      for (const connection of connections) connection.close();
      child.kill();
      await once(child, 'exit');
    }
  });

  test('a connection of a signed-in client does not count, and is not closed for further connections', async () => {
    const address = '127.0.0.6';
    const server = app.getHttpServer();
    server.once('connection', (socket: Socket) => releaseFromAddressLimit(socket));
    const signedIn = await openConnection(address);
    for (let number = 0; number < 2 * CONNECTIONS_PER_ADDRESS; number += 1) await expectServed(address);
    const stalled: RawConnection[] = [];
    for (let number = 0; number < 2 * CONNECTIONS_PER_ADDRESS; number += 1)
      stalled.push((await openConnection(address)).send(`${postRequest('body', INCOMPLETE_BODY_HEADER)}{`));
    await waitUntil('evictions', () => stalled.filter(({ isEnded }) => isEnded).length === CONNECTIONS_PER_ADDRESS);
    expect(signedIn.isEnded).toBe(false);
  });
});
