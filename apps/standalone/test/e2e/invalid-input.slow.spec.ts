import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { LIMIT_MS } from '@family-watch/testing/waiting/wait-for';
import { expectError, expectSuccess } from '../support/envelopes.js';
import { CLOUD_PATH, PATH_PREFIX } from '../support/http-client.js';
import { VALID_CHILD, Parent } from '../support/parent.js';
import { tableDigests, waitUntilEventsProcessed } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';

const JSON_TYPE = 'application/json';
const CHILD_PATHS = [PATH_PREFIX.plain, PATH_PREFIX.wrapped].map((prefix) => [`${prefix}userctx/user/child/`] as const);
const DELETE_CONTENTS = `${CLOUD_PATH}deleteContents`;

describe('A26 invalid input', () => {
  let service: TestService;
  let owner: Parent;
  let cid: string;
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.start('standalone');
    owner = await Parent.signUp(service);
    cid = await owner.createChild();
    await waitUntilEventsProcessed(service);
    before = await tableDigests(service);
  });
  afterAll(async () => {
    await service.stop();
  });

  const post = (address: string, body: string, type = JSON_TYPE) =>
    owner.send('POST', address, { body, headers: type ? { 'content-type': type } : {} });

  describe.each([...CHILD_PATHS.map(([path]) => `${path}create`), DELETE_CONTENTS])('request body of %s', (address) => {
    const good = JSON.stringify(address === DELETE_CONTENTS ? { cloudID: 'x', contentIDList: ['x'] } : VALID_CHILD);

    test.each<[string, string, ErrorReason]>([
      ['truncated JSON', '{"name":', 'MALFORMED_JSON'],
      ['an empty body', '', 'MALFORMED_JSON'],
      ['text that is not JSON', 'name=Mia', 'MALFORMED_JSON'],
      ['two JSON documents', '{}{}', 'MALFORMED_JSON'],
      ['NaN as a value', '{"weight":NaN}', 'MALFORMED_JSON'],
      ['a list instead of an object', '[]', 'VALIDATION_FAILED'],
      ['null instead of an object', 'null', 'VALIDATION_FAILED'],
      ['a number instead of an object', '7', 'VALIDATION_FAILED'],
      ['a string instead of an object', '"x"', 'VALIDATION_FAILED'],
      ['an object without fields', '{}', 'VALIDATION_FAILED'],
      ['40 levels of nesting', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, 'BODY_TOO_COMPLEX'],
      ['50,000 levels of nesting', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'BODY_TOO_COMPLEX'],
      ['a list of 20,000 items', `{"a":[${'1,'.repeat(20_000)}1]}`, 'BODY_TOO_COMPLEX'],
      ['a body larger than 256 KiB', `{"name":"${'x'.repeat(256 * 1024)}"}`, 'BODY_TOO_LARGE'],
    ])('is rejected: %s', async (_, body, reason) => {
      expectError(address, await post(address, body), reason);
    });

    test('is required: a request without body and Content-Type is rejected', async () => {
      expectError(address, await owner.send('POST', address), 'VALIDATION_FAILED');
    });

    test.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonx',
      'text/json',
      'application/octet-stream',
      'application/json-patch+json',
      '*/*',
      '',
    ])('is rejected with the Content-Type %j', async (type) => {
      expectError(address, await post(address, good, type), 'MEDIA_TYPE_UNSUPPORTED');
    });
  });

  test.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    'accepts the Content-Type %s as JSON',
    async (type) => {
      const [[path]] = CHILD_PATHS as [readonly [string]];
      expectSuccess(`${path}update`, await post(`${path}update`, JSON.stringify({ ...VALID_CHILD, cid }), type));
    },
  );

  describe.each(CHILD_PATHS)('paths below %s', (path) => {
    test.each([
      ['a trailing slash', `get/`],
      ['a double slash', `/get`],
      ['an encoded slash', `%2fget`],
      ['a backslash', `\\..\\child\\x`],
      ['an encoded dot segment', `%2e%2e/%2e%2e/user/child/nothing`],
      ['an upper-case path', `GET`],
      ['a parameter in a path segment', `get;x=1`],
      ['an encoded NUL character', `get%00`],
    ])('responds 404 to GET with %s', async (_, name) => {
      expectError(path, await owner.send('GET', path + name), 'ROUTE_NOT_FOUND');
    });

    test('responds 404 to a prefix in upper case', async () => {
      const [, first = ''] = path.split('/');
      const answer = await owner.send('GET', `${path.replace(first, first.toUpperCase())}get`);
      expect([answer.status, answer.body['reason']]).toEqual([404, 'ROUTE_NOT_FOUND']);
    });

    test('rejects an invalid percent-encoding and a parameter of 300 characters in the path', async () => {
      expectError(path, await owner.send('GET', `${path}delete/%zz`), 'MALFORMED_REQUEST');
      expectError(path, await owner.send('GET', `${path}delete/${'x'.repeat(300)}`), 'URI_TOO_LONG');
    });

    test('rejects a URL of 20 KB', async () => {
      const answer = await owner.send('GET', `${path}detail?cid=${'x'.repeat(20_000)}`);
      expect([400, 414, 431]).toContain(answer.status);
    });

    test.each(['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
      'a %s request for the path of DeleteChild deletes no child',
      async (method) => {
        for (const address of [`${path}delete?cid=${cid}`, `${path}delete/${cid}`]) {
          const { status } = await owner.send(method, address);
          expect([404, 405]).toContain(status);
        }
        expect((await owner.get('child/detail', { cid })).status).toBe(200);
      },
    );
  });

  test('ignores a method override in a header or the query', async () => {
    const headers = { 'x-http-method-override': 'GET', 'content-type': JSON_TYPE };
    const [[path]] = CHILD_PATHS as [readonly [string]];
    const answer = await owner.send('POST', `${path}delete?cid=${cid}&_method=GET`, { headers, body: '{}' });
    expectError(path, answer, 'METHOD_NOT_ALLOWED');
  });

  test.each<Record<string, string>>([
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-for': '1.2.3.4' },
    { 'x-original-url': '/apis/v2/userctx/user/child/get' },
    { 'x-forwarded-prefix': '/evil' },
  ])('ignores the forged header %j', async (headers) => {
    const cloudID = await owner.findOwnFamilyId();
    const body = JSON.stringify({ cloudID, uploadContentList: [{ contentName: 'a', contentSize: 0 }] });
    const answer = await owner.send('POST', `${CLOUD_PATH}getFileUploadURL`, {
      body,
      headers: { 'content-type': JSON_TYPE, ...headers },
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(new URL(service.url).host);
    expect(answer.text).not.toMatch(/evil|https:/);
  });

  test.each([
    ['two Content-Length headers', 'content-length: 2\r\ncontent-length: 300\r\n'],
    ['Content-Length and chunked encoding', 'content-length: 2\r\ntransfer-encoding: chunked\r\n'],
    ['a Content-Length with a plus sign', 'content-length: +2\r\n'],
    ['a space in a header name', 'content-length : 2\r\n'],
  ])('rejects a request with %s', async (_, headers) => {
    const answer = await sendRaw(
      service.url,
      `POST /apis/v2/userctx/user/child/create HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.token ?? ''}\r\n` +
        `content-type: application/json\r\nconnection: close\r\n${headers}\r\n{}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test.each([
    ['two different Host headers', 'GET /health/live HTTP/1.1\r\nhost: x\r\nhost: other\r\n\r\n', 400009],
    ['two equal Host headers', 'GET /health/live HTTP/1.1\r\nhost: x\r\nHost: x\r\n\r\n', 400009],
    ['no Host header', 'GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n', 400009],
    ['bytes that are not HTTP', '\x16\x03\x01\x02\r\n\r\n', 400009],
    ['headers of 64 KiB', `GET /health/live HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(65_536)}\r\n\r\n`, 431001],
    ['the method CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 405001],
  ])('responds in the format of the service to %s, and closes the connection', async (_, request, code) => {
    const answer = await sendRaw(service.url, request);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${Math.trunc(code / 1_000)} `));
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code, reason: expect.any(String) });
  });

  test.each(['h2c', 'websocket', 'TLS/1.0'])(
    'ignores the header Upgrade: %s on paths other than /socket.io/',
    async (protocol) => {
      const headers = { connection: 'Upgrade', upgrade: protocol };
      const answer = await owner.send('GET', '/health/live', { headers });
      expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    },
  );

  test('the rejected requests change no row and cause no internal error', async () => {
    const after = await tableDigests(service);
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    // The service accepts the updates with valid Content-Types, and creates the upload sessions despite forged headers.
    expect(changed.filter((table) => !TABLES_ALLOWED_TO_CHANGE.includes(table))).toEqual([]);
    const [children] = await service.query<{ count: number }>('SELECT count(*)::int FROM userctx.child');
    expect(children).toEqual({ count: 1 });
    expect(service.errors).toEqual([]);
  });
});

const TABLES_ALLOWED_TO_CHANGE: readonly string[] = [
  'userctx.child',
  'userctx.outbox',
  'mcdisk.upload',
  'mcdisk.content',
  'mcdisk.family_cloud',
  'mcdisk.outbox',
];

/** Sends raw bytes. @returns the bytes received until the service closes the connection */
function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request));
    socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('The service did not close the connection')));
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
