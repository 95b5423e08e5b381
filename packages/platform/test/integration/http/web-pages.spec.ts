import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Body, Controller, Get, Param, Post, Put, Req, Res } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StringField } from '@family-watch/domain/kernel/dto/fields';
import { Operation } from '../../../src/http/operation.decorator.js';
import { startTestApplication } from '../../support/test-application.js';

const PAGE_ORIGIN = 'https://app.example.com';
const OTHER_ORIGIN = 'https://attacker.example';
const USER = { type: 'user', id: 'b7f6c1d2-6a53-4a5e-9c39-0a4f3e1d2c5b', sessionId: 's' } as const;

class NoteDto {
  @StringField()
  text: string;
}

@Controller('apis/v2/notes')
class NotesController {
  @Get(':noteId')
  @Operation({ id: 'getNote', access: ['user'], summary: 'Get' })
  get(@Param('noteId') noteId: string): object {
    return { noteId };
  }

  @Post()
  @Operation({ id: 'createNote', access: 'public', summary: 'Create' })
  create(@Body() { text }: NoteDto): object {
    return { text };
  }

  @Put(':noteId')
  @Operation({ id: 'putNote', access: 'public', summary: 'Replace', rawBody: true })
  replace(): object {
    return {};
  }

  @Get('file/raw')
  @Operation({ id: 'getFile', access: 'public', hasEnvelope: false, direct: true, summary: 'File' })
  async file(@Req() _: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-length': 4 }).end('file');
  }
}

let app: NestFastifyApplication;
let baseUrl: string;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  ({ app, url: baseUrl } = await startTestApplication([NotesController], {
    settings: { CORS_ORIGINS: `https://other.example, ${PAGE_ORIGIN}` },
    authenticate: async () => USER,
    onLogLine: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  }));
});
afterAll(() => app.close());

const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string | Uint8Array) =>
  fetch(`${baseUrl}${path}`, { method, headers, body });
const json = (headers: Record<string, string> = {}) => ({ 'content-type': 'application/json', ...headers });

describe('a web page of an origin in CORS_ORIGINS', () => {
  test('may call an operation: a preflight request names the methods of the path and the permitted headers', async () => {
    const { status, headers } = await send('OPTIONS', '/apis/v2/notes/1', {
      origin: PAGE_ORIGIN,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,idempotency-key,tus-resumable,upload-offset',
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(PAGE_ORIGIN);
    expect(headers.get('access-control-allow-methods')).toBe('GET, PUT');
    expect(headers.get('access-control-allow-headers')?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'idempotency-key', 'tus-resumable', 'upload-offset']),
    );
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  test.each(['/apis/v2/notes/1', '/apis/v2/notes/file/raw', '/apis/v2/unknown'])(
    'may read the response of %s',
    async (path) => {
      const { headers } = await send('GET', path, { origin: PAGE_ORIGIN });
      expect(headers.get('access-control-allow-origin')).toBe(PAGE_ORIGIN);
      expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id');
      expect(headers.get('vary')).toBe('Origin');
    },
  );

  test('gets 404 for a preflight request for an unknown path', async () => {
    const preflight = { origin: PAGE_ORIGIN, 'access-control-request-method': 'GET' };
    expect((await send('OPTIONS', '/apis/v2/unknown', preflight)).status).toBe(404);
  });
});

test('a web page of another origin may not read a response or send a request that needs a preflight request', async () => {
  const preflight = await send('OPTIONS', '/apis/v2/notes/1', {
    origin: OTHER_ORIGIN,
    'access-control-request-method': 'GET',
  });
  expect([preflight.status, preflight.headers.get('allow')]).toEqual([405, 'GET, PUT']);
  for (const response of [preflight, await send('GET', '/apis/v2/notes/1', { origin: OTHER_ORIGIN })]) {
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.get('vary')).toBe('Origin');
  }
});

describe('a body', () => {
  const text = JSON.stringify({ text: 'Zoë' });

  test.each(['application/json; charset=iso-8859-1', 'application/json;charset="utf-16"'])(
    'of type %s is rejected with 415',
    async (type) => {
      const response = await send('POST', '/apis/v2/notes', { 'content-type': type }, text);
      expect([response.status, await response.json()]).toEqual([
        415,
        expect.objectContaining({ reason: 'MEDIA_TYPE_UNSUPPORTED' }),
      ]);
    },
  );

  test.each([
    ['POST', '/apis/v2/notes'],
    ['PUT', '/apis/v2/notes/1'],
  ])('of %s %s with a content coding is rejected with 415 and the supported coding', async (method, path) => {
    const response = await send(method, path, json({ 'content-encoding': 'gzip' }), gzipSync(text));
    expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
  });

  test.each([
    json(),
    json({ 'content-encoding': 'identity' }),
    { 'content-type': 'application/json; charset=UTF-8' },
    { 'content-type': 'application/json; charset="utf-8"' },
  ])('with the headers %j is accepted', async (headers) => {
    const response = await send('POST', '/apis/v2/notes', headers, text);
    expect([response.status, await response.json()]).toEqual([200, { text: 'Zoë' }]);
  });

  test('of which a signature covers the bytes is accepted in any charset', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=GBK' };
    expect((await send('PUT', '/apis/v2/notes/1', headers, 'a=b')).status).toBe(200);
  });

  test.each([
    ['POST', '/apis/v2/notes', 'MALFORMED_JSON'],
    ['PUT', '/apis/v2/notes/1', 'MALFORMED_REQUEST'],
  ])('of %s %s with bytes that are not UTF-8 is rejected with 400', async (method, path, reason) => {
    const response = await send(method, path, json(), Buffer.from(text, 'latin1'));
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ reason })]);
  });

  test.each(['"__proto__":{"text":"a"}', '"constructor":{"prototype":{"text":"a"}}', '"a":[{"__proto__":1}]'])(
    'with the unknown field %s is accepted',
    async (field) => {
      const response = await send('POST', '/apis/v2/notes', json(), `{${field},"text":"Zoë"}`);
      expect([response.status, await response.json()]).toEqual([200, { text: 'Zoë' }]);
    },
  );

  test('that is absent may have any content coding', async () => {
    expect((await send('GET', '/apis/v2/notes/1', { 'content-encoding': 'gzip' })).status).toBe(200);
  });
});

test('each request leaves one line with the pattern of its route and the kind of caller, without path or query', async () => {
  lines.length = 0;
  await send('GET', '/apis/v2/notes/secret-id?phone=13812345678', { 'x-request-id': 'id-1' });
  await send('POST', '/apis/v2/notes', json({ 'x-request-id': 'id-2' }), '{}');
  await send('GET', '/unknown/secret-id', { 'x-request-id': 'id-3' });
  const process = { pid: expect.any(Number), hostname: expect.any(String), time: expect.any(Number) };
  const common = { level: 30, name: 'test', msg: 'Request completed', milliseconds: expect.any(Number), ...process };
  expect(lines).toEqual([
    { ...common, requestId: 'id-1', method: 'GET', route: '/apis/v2/notes/:noteId', status: 200, caller: 'user' },
    { ...common, requestId: 'id-2', method: 'POST', route: '/apis/v2/notes', status: 400, caller: 'public' },
    { ...common, requestId: 'id-3', method: 'GET', status: 404, caller: 'public' },
  ]);
});
