import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Body, Controller, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiProperty } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { Operation } from '../../../src/http/operation.decorator.js';
import { startTestApplication } from '../../support/test-application.js';

class CallDto {
  @Allow()
  @ApiProperty()
  time?: unknown;
}

const calls: CallDto[] = [];

@Controller('apis/v2')
class EmergencyController {
  @Post('emergency')
  @Operation({ id: 'callForHelp', access: ['watch'], isEmergency: true, summary: 'Call' })
  call(@Body() body: CallDto): object {
    calls.push(body);
    return body;
  }

  @Post('note')
  @Operation({ id: 'createNote', access: ['watch'], summary: 'Create' })
  create(@Body() body: CallDto): object {
    return body;
  }
}

const BODY = '{"time":5,"location":{"latitude":"31.2"}}';

let app: NestFastifyApplication;
let baseUrl: string;

beforeAll(async () => {
  ({ app, url: baseUrl } = await startTestApplication([EmergencyController], {
    authenticate: async () => ({ type: 'watch', id: '7', sessionId: 's' }),
  }));
});
afterAll(() => app.close());

const send = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(`${baseUrl}/apis/v2/${path}`, { method: 'POST', body, headers });

const JSON_TYPE = { 'content-type': 'application/json' };

test.each<[string, string | Uint8Array, Record<string, string>, object]>([
  ['JSON', BODY, JSON_TYPE, { time: 5 }],
  ['JSON of the media type text/plain', BODY, { 'content-type': 'text/plain' }, { time: 5 }],
  ['JSON of a malformed media type', BODY, { 'content-type': 'json' }, { time: 5 }],
  ['JSON of another charset', BODY, { 'content-type': 'application/json; charset=gbk' }, { time: 5 }],
  ['JSON that ends with NUL', `${BODY}\0`, JSON_TYPE, { time: 5 }],
  ['JSON that is cut off', BODY.slice(0, 20), JSON_TYPE, { time: 5 }],
  ['JSON with nan', '{"time":nan}', JSON_TYPE, {}],
  ['a list', '[]', JSON_TYPE, {}],
  ['JSON with 100 levels', `{"time":${'['.repeat(100)}${']'.repeat(100)}}`, JSON_TYPE, { time: [[[]]] }],
  ['NUL', '\0', JSON_TYPE, {}],
  ['no bytes', '', JSON_TYPE, {}],
  ['a form', 'time=5', { 'content-type': 'application/x-www-form-urlencoded' }, {}],
  ['compressed bytes', gzipSync(BODY), { ...JSON_TYPE, 'content-encoding': 'gzip' }, {}],
])('an emergency is accepted with the body: %s', async (_, body, headers, expected) => {
  const response = await send('emergency', body, headers);
  expect([response.status, await response.json()]).toEqual([200, expected]);
});

test('an emergency is accepted without a body and a media type', async () => {
  const response = await fetch(`${baseUrl}/apis/v2/emergency`, { method: 'POST' });
  expect([response.status, await response.json()]).toEqual([200, {}]);
});

test('an emergency is accepted if the connection ends before its body', async () => {
  const socket = connect((app.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const before = calls.length;
  socket.write(`POST /apis/v2/emergency HTTP/1.1\r\nhost: test\r\ncontent-length: 900\r\n\r\n${BODY}`);
  socket.end();
  await waitFor(() => expect(calls.slice(before)).toEqual([{ time: 5 }]));
});

test('an emergency of more than 256 KiB is rejected with 413, as any other request', async () => {
  const response = await send('emergency', `{"time":5,"more":"${'x'.repeat(256 * 1_024)}"}`, JSON_TYPE);
  expect([response.status, await response.json()]).toMatchObject([413, { reason: 'BODY_TOO_LARGE' }]);
});

test('other operations reject bodies that cannot be read, also of the media type of emergencies', async () => {
  const emergencyType = { 'content-type': 'application/vnd.family-watch.emergency' };
  expect((await send('note', BODY, emergencyType)).status).toBe(415);
  expect((await send('note', '{"time":nan}', JSON_TYPE)).status).toBe(400);
});
