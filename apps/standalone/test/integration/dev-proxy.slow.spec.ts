import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestOptions, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Environment } from '@family-watch/platform/config/environment';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { DevProxy } from '../../src/split/dev-proxy.js';

/** An app that records the requests it receives. */
let app: Server;
let receivedRequests: { request: IncomingMessage; bytes: number }[];
let proxy: DevProxy;
let port: number;
let onUpgrade: (request: IncomingMessage, socket: Duplex) => void;

beforeAll(async () => {
  app = createServer((incoming, outgoing) => {
    const record = { request: incoming, bytes: 0 };
    receivedRequests.push(record);
    incoming.on('data', (chunk: Buffer) => (record.bytes += chunk.length));
    incoming.on('end', () => {
      if (incoming.url?.endsWith('/cut')) incoming.socket.destroy();
      else outgoing.writeHead(200, { 'x-app': 'yes', 'set-cookie': ['a=1', 'b=2'] }).end('answer');
    });
  });
  app.on('upgrade', (incoming, socket) => onUpgrade(incoming, socket));
  await once(app.listen(0, '127.0.0.1'), 'listening');
  const upstream = new URL(`http://127.0.0.1:${(app.address() as AddressInfo).port}`);
  const unreachable = new URL('http://127.0.0.1:1');
  proxy = new DevProxy({
    upstreams: { userctx: upstream, gateway: upstream, mcdisk: unreachable },
    respondOwnRoute: () => false,
    settings: new Environment(),
  });
  port = Number(new URL(await proxy.listen(0, '127.0.0.1')).port);
});
afterAll(async () => {
  await proxy.close();
  app.close();
});
beforeEach(() => {
  receivedRequests = [];
});

async function send(path: string, options: RequestOptions = {}, body?: Buffer[]) {
  const outgoing = request({ host: '127.0.0.1', port, path, ...options });
  for (const part of body ?? []) outgoing.write(part);
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  return { status: answer.statusCode, headers: answer.headers, text };
}

const MIB = 1024 * 1024;
const USER_PATH = '/apis/v2/userctx/user';

describe('DevProxy', () => {
  test('forwards method, path and response unchanged', async () => {
    const path = `${USER_PATH}/%7euser/a%2Fb?x=1&x=2&y=a+b?c`;
    const { status, headers, text } = await send(path, { method: 'PUT' });
    expect([status, text, headers['x-app'], headers['set-cookie']]).toEqual([200, 'answer', 'yes', ['a=1', 'b=2']]);
    expect(receivedRequests[0]?.request).toMatchObject({ method: 'PUT', url: path });
  });

  test('forwards bodies of any size, with and without Content-Length', async () => {
    const body = Array.from({ length: 64 }, () => Buffer.alloc(64 * 1024, '{'));
    await send(USER_PATH, { method: 'POST', headers: { 'content-type': 'application/json' } }, body);
    expect(receivedRequests[0]?.request.headers['transfer-encoding']).toBe('chunked');
    await send(USER_PATH, { method: 'POST', headers: { 'content-length': 3 } }, [Buffer.from('{x}')]);
    await send(USER_PATH, { method: 'POST' });
    expect(receivedRequests.map(({ bytes }) => bytes)).toEqual([4 * 1024 * 1024, 3, 0]);
    expect(receivedRequests[1]?.request.headers).toMatchObject({ 'content-length': '3' });
    expect(receivedRequests[2]?.request.headers['content-length']).toBe('0');
  });

  test('replaces forwarding headers of the client', async () => {
    const claims = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9', 'x-real-ip': '203.0.113.9' };
    const headers = {
      ...claims,
      host: 'family.example',
      connection: 'authorization, x-claim',
      'x-claim': '1',
      authorization: 'Bearer x',
    };
    await send(USER_PATH, { headers });
    const received = receivedRequests[0]?.request.headers;
    expect(received).toMatchObject({
      host: 'family.example',
      authorization: 'Bearer x',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'family.example',
      'x-forwarded-proto': 'http',
    });
    expect(JSON.stringify(received)).not.toMatch(/203\.0\.113\.9|x-claim/);
  });

  test('responds 503 when the app is unavailable and does not repeat the request', async () => {
    const { status, headers, text } = await send(`${USER_PATH}/cut`);
    expect([status, headers['retry-after'], receivedRequests.length]).toEqual([503, '2', 1]);
    expect(JSON.parse(text)).toMatchObject({ reason: 'SERVICE_UNAVAILABLE', code: 503009 });
    const cloud = await send('/app-api/mcdisk/blob/x');
    expect(JSON.parse(cloud.text)).toMatchObject({
      reason: 'SERVICE_UNAVAILABLE',
      data: null,
      msg: expect.any(String),
    });
  });

  test('ends a connection that pipelines 1,000 requests', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${USER_PATH} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1_000));
    await once(socket.resume(), 'close');
    expect(receivedRequests.length).toBeLessThan(20);
  });

  test('responds 404 to routes that are not in the route table', async () => {
    for (const path of ['/', '/metrics', '//share/x', '/apis/v2/none/']) {
      const { status, text } = await send(path);
      expect([path, status, JSON.parse(text)]).toEqual([
        path,
        404,
        expect.objectContaining({ reason: 'ROUTE_NOT_FOUND' }),
      ]);
    }
    expect(receivedRequests).toEqual([]);
  });
});

describe('DevProxy with WebSockets', () => {
  const handshake = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer t\r\n\r\n`;

  async function open(path: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(handshake(path));
    return socket;
  }

  test('forwards the handshake with all headers, and then bytes in both directions', async () => {
    let headers: IncomingMessage['headers'] = {};
    onUpgrade = (incoming, socket) => {
      headers = incoming.headers;
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nfirst');
      socket.pipe(socket);
    };
    const socket = await open('/socket.io/?EIO=4&transport=websocket');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write('echo');
    await waitUntil('the gateway echoes the text', () => text.endsWith('echo'));
    expect(text).toMatch(/^HTTP\/1\.1 101 .*upgrade: websocket.*\r\n\r\nfirstecho$/is);
    expect(headers).toMatchObject({ authorization: 'Bearer t', upgrade: 'websocket', 'x-forwarded-for': '127.0.0.1' });
    socket.destroy();
  });

  test('forwards the back-pressure of a slow client to the gateway', async () => {
    const waits = Promise.withResolvers<number>();
    onUpgrade = (_, socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.write(Buffer.alloc(64 * MIB));
      setTimeout(() => waits.resolve(socket.writableLength), 500);
    };
    const socket = await open('/socket.io/');
    socket.pause();
    // The kernel and the proxy buffer only a part of the 64 MiB; the rest remains in the buffer of the gateway.
    expect(await waits.promise).toBeGreaterThan(32 * MIB);
    socket.destroy();
  });

  test('closes the connection of the client without a response when the gateway resets the WebSocket', async () => {
    onUpgrade = (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nfirst');
      socket.on('data', () => (socket as Socket).resetAndDestroy());
    };
    const socket = await open('/socket.io/');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await waitUntil('the first text', () => text.endsWith('first'));
    socket.write('reset');
    await once(socket, 'end');
    expect(text).toMatch(/\r\n\r\nfirst$/);
  });

  test('closes the WebSocket to the gateway when a client with unread data closes its connection', async () => {
    const closed = new Promise<void>((resolve) => {
      onUpgrade = (_, socket) => {
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.write(Buffer.alloc(64 * MIB));
      };
    });
    const socket = await open('/socket.io/');
    await once(socket, 'data');
    socket.resetAndDestroy();
    await closed;
  });

  test('forwards a rejected upgrade and closes the connection', async () => {
    onUpgrade = (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
    const socket = await open('/socket.io/');
    socket.write(handshake('/metrics'));
    const text = (await socket.setEncoding('utf8').toArray()).join('');
    expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n.*connection: close\r\n\r\nno$/is);
  });

  test.each([
    ['/', 404],
    ['/apis/v2/userctx/', 200],
    ['/socket.io/x', 200],
  ])('ignores an Upgrade header at %s', async (path, status) => {
    const socket = await open(path);
    socket.setEncoding('utf8');
    const [text] = (await once(socket, 'data')) as [string];
    expect(text).toContain(`HTTP/1.1 ${status} `);
    expect(receivedRequests.map(({ request: { headers } }) => headers.upgrade)).toEqual(
      status === 200 ? [undefined] : [],
    );
    socket.destroy();
  });
});
