import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Body, Controller, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Operation } from '../../../src/http/operation.decorator.js';
import { startTestApplication } from '../../support/test-application.js';

const KIB = 1024;
const BODY_PIECE = Buffer.alloc(60 * KIB, 'x');
/** Pause between two pieces of a body, during which the server can send its response and close the connection. */
const PAUSE_MS = 30;

@Controller('app-api/large')
class LargeController {
  @Post()
  @Operation({ id: 'large', access: 'public', hasEnvelope: false, summary: 'Return the body' })
  echo(@Body() body: object): object {
    return body;
  }
}

let app: NestFastifyApplication;
let port: number;

beforeAll(async () => {
  ({ app } = await startTestApplication([LargeController]));
  ({ port } = app.getHttpServer().address() as AddressInfo);
});
afterAll(() => app.close());

/** Sends the whole body before it evaluates the response, like browsers and proxies; returns the response. */
async function sendBody(header: string, pieces: number, encode = (piece: Buffer) => piece, end = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let response = '';
  let failure: Error | undefined;
  socket.on('data', (chunk: Buffer) => (response += chunk.toString()));
  socket.on('error', (error) => (failure = error));
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  socket.write(`POST /app-api/large HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n${header}\r\n\r\n`);
  for (let piece = 0; piece < pieces; piece += 1) {
    if (socket.readableEnded) throw new Error(`The connection ended after ${piece} pieces`);
    socket.write(encode(BODY_PIECE));
    await sleep(PAUSE_MS);
  }
  socket.end(end);
  await closed;
  if (failure) throw failure;
  return response;
}

const encodeChunk = (piece: Buffer) =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);

test('the server returns 413 for a body of more than 256 KiB without resetting the connection of a sending client', async () => {
  expect(await sendBody(`content-length: ${10 * BODY_PIECE.length}`, 10)).toMatch(
    /^HTTP\/1.1 413 [^]*"BODY_TOO_LARGE"/,
  );
});

test('the server returns 413 for a chunked body of more than 256 KiB', async () => {
  const response = await sendBody('transfer-encoding: chunked', 10, encodeChunk, '0\r\n\r\n');
  expect(response).toMatch(/^HTTP\/1.1 413 [^]*"BODY_TOO_LARGE"/);
});

test('the server does not read a body whose Content-Length is several gigabytes', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /app-api/large HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n');
  socket.write('content-length: 4000000000\r\n\r\n');
  const [response] = (await once(socket, 'data')) as [Buffer];
  expect(response.toString()).toMatch(/^HTTP\/1.1 413 /);
  await once(socket, 'close');
});

test('the server reads at most 1 MiB of a rejected body of unknown length', async () => {
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => undefined));
  socket.resume();
  socket.write('POST /app-api/large HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n');
  socket.write('transfer-encoding: chunked\r\n\r\n');
  while (!socket.destroyed) {
    socket.write(encodeChunk(BODY_PIECE));
    await sleep(1);
  }
  await closed;
  // Data in the kernel's buffers is sent but never read.
  expect(socket.bytesWritten).toBeLessThan(16 * KIB * KIB);
});
