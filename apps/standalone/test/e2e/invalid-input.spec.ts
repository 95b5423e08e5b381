import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { expectRefusal, expectSuccess } from '../support/envelopes.js';
import { CLOUD, PREFIX } from '../support/http-client.js';
import { CHILD, Parent } from '../support/parent.js';
import { tableDigests, untilQuiet } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';

const JSON_TYPE = 'application/json';
const SURFACES = [PREFIX.plain, PREFIX.wrapped].map((prefix) => [`${prefix}userctx/user/child/`] as const);
const DELETE_CONTENTS = `${CLOUD}deleteContents`;

describe('invalid input', () => {
  let service: TestService;
  let owner: Parent;
  let cid: string;
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.start('standalone');
    owner = await Parent.signUp(service);
    cid = await owner.createChild();
    await untilQuiet(service);
    before = await tableDigests(service);
  });
  afterAll(async () => {
    await service.stop();
  });

  const post = (address: string, body: string | Buffer | undefined, type: string | undefined = JSON_TYPE) =>
    owner.send('POST', address, {
      ...(body === undefined ? {} : { body }),
      headers: type ? { 'content-type': type } : {},
    });

  describe.each([...SURFACES.map(([path]) => `${path}create`), DELETE_CONTENTS])('bodies for %s', (address) => {
    const good = JSON.stringify(address === DELETE_CONTENTS ? { cloudID: 'x', contentIDList: ['x'] } : CHILD);

    test.each<[string, string | undefined, ErrorReason]>([
      ['broken JSON', '{"name":', 'MALFORMED_JSON'],
      ['an empty body', '', 'MALFORMED_JSON'],
      ['text that is no JSON', 'name=Mia', 'MALFORMED_JSON'],
      ['two documents', '{}{}', 'MALFORMED_JSON'],
      ['bare NaN', '{"weight":NaN}', 'MALFORMED_JSON'],
      ['a list', '[]', 'VALIDATION_FAILED'],
      ['null', 'null', 'VALIDATION_FAILED'],
      ['a number', '7', 'VALIDATION_FAILED'],
      ['text', '"x"', 'VALIDATION_FAILED'],
      ['nothing in it', '{}', 'VALIDATION_FAILED'],
      ['nesting of 40', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, 'BODY_TOO_COMPLEX'],
      ['nesting of 50,000', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'BODY_TOO_COMPLEX'],
      ['20,000 members', `{"a":[${'1,'.repeat(20_000)}1]}`, 'BODY_TOO_COMPLEX'],
      ['more than 256 KiB', `{"name":"${'x'.repeat(256 * 1024)}"}`, 'BODY_TOO_LARGE'],
    ])('%s', async (_, body, reason) => {
      expectRefusal(address, await post(address, body), reason);
    });

    test('rejects a request without a body and Content-Type', async () => {
      expectRefusal(address, await owner.send('POST', address), 'VALIDATION_FAILED');
    });

    test.each(['__proto__', 'constructor'])('ignores the key %s', async (key) => {
      const body = `{"${key}":{"prototype":{"polluted":1},"polluted":1,"weight":150},${good.slice(1)}`;
      const answer = await post(address, body);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
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
    ])('rejects the Content-Type %s', async (type) => {
      expectRefusal(address, await post(address, good, type), 'MEDIA_TYPE_UNSUPPORTED');
    });

    test('rejects a body without a Content-Type', async () => {
      expectRefusal(address, await post(address, Buffer.from(good), ''), 'MEDIA_TYPE_UNSUPPORTED');
    });
  });

  test.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    'accepts %s as JSON',
    async (type) => {
      const [[path]] = SURFACES as [readonly [string]];
      expectSuccess(`${path}update`, await post(`${path}update`, JSON.stringify({ ...CHILD, cid }), type));
    },
  );

  describe.each(SURFACES)('paths below %s', (path) => {
    const wrong: [string, string, string][] = [
      ['GET', 'a trailing slash', `get/`],
      ['GET', 'a double slash', `/get`],
      ['GET', 'an encoded slash', `%2fget`],
      ['GET', 'a backslash', `\\..\\child\\x`],
      ['GET', 'an encoded dot segment', `%2e%2e/%2e%2e/user/child/nothing`],
      ['GET', 'upper case', `GET`],
      ['GET', 'a path parameter', `get;x=1`],
      ['GET', 'NUL', `get%00`],
      ['POST', 'the wrong method', `get`],
      ['GET', 'the wrong method', `create`],
      ['DELETE', 'DELETE', `delete?cid=x`],
      ['POST', 'POST', `delete?cid=x`],
    ];

    test.each(wrong)('%s with %s', async (method, _, name) => {
      const sent = method === 'POST' ? { body: '{}', headers: { 'content-type': JSON_TYPE } } : {};
      expectRefusal(path, await owner.send(method, path + name, sent), 'ROUTE_NOT_FOUND');
    });

    test('responds 404 to a prefix in upper case', async () => {
      const [, first = ''] = path.split('/');
      const answer = await owner.send('GET', `${path.replace(first, first.toUpperCase())}get`);
      expect([answer.status, answer.body['reason']]).toEqual([404, 'ROUTE_NOT_FOUND']);
    });

    test('rejects an invalid percent-encoding', async () => {
      const answer = await owner.send('GET', `${path}delete/%zz`);
      expect([400, 404]).toContain(answer.status);
    });

    test('rejects a URL of 20 KB', async () => {
      const answer = await owner.send('GET', `${path}detail?cid=${'x'.repeat(20_000)}`);
      expect([400, 414, 431]).toContain(answer.status);
    });

    test('rejects a repeated parameter and deletes nothing', async () => {
      const answer = await owner.send('GET', `${path}delete?cid=${cid}&cid=${cid}`);
      expectRefusal(path, answer, 'VALIDATION_FAILED');
      expectRefusal(path, await owner.send('GET', `${path}delete?cid[]=${cid}`), 'VALIDATION_FAILED');
      expectRefusal(path, await owner.send('GET', `${path}delete?cid=`), 'VALIDATION_FAILED');
    });

    test.each(['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'])('%s never deletes', async (method) => {
      for (const address of [`${path}delete?cid=${cid}`, `${path}delete/${cid}`]) {
        const { status } = await owner.send(method, address);
        expect([404, 405]).toContain(status);
      }
      expect((await owner.get('child/detail', { cid })).status).toBe(200);
    });
  });

  test('ignores a method in a header or the query', async () => {
    const headers = { 'x-http-method-override': 'GET', 'content-type': JSON_TYPE };
    const [[path]] = SURFACES as [readonly [string]];
    const answer = await owner.send('POST', `${path}delete?cid=${cid}&_method=GET`, { headers, body: '{}' });
    expectRefusal(path, answer, 'ROUTE_NOT_FOUND');
  });

  test.each<Record<string, string>>([
    { 'x-forwarded-host': 'evil.example' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-for': '1.2.3.4' },
    { 'x-original-url': '/apis/v2/userctx/user/child/get' },
    { 'x-forwarded-prefix': '/evil' },
  ])('ignores forged %j', async (headers) => {
    const cloudID = await owner.ownFamily();
    const body = JSON.stringify({ cloudID, uploadContentList: [{ contentName: 'a', contentSize: 0 }] });
    const answer = await owner.send('POST', `${CLOUD}getFileUploadURL`, {
      body,
      headers: { 'content-type': JSON_TYPE, ...headers },
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(new URL(service.url).host);
    expect(answer.text).not.toMatch(/evil|https:/);
  });

  test.each([
    ['two content lengths', 'content-length: 2\r\ncontent-length: 300\r\n'],
    ['length and chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n'],
    ['a length that is none', 'content-length: +2\r\n'],
    ['a space in a header name', 'content-length : 2\r\n'],
    ['two hosts in disagreement', 'content-length: 2\r\nhost: other\r\n'],
  ])('%s', async (_, headers) => {
    const answer = await raw(
      service.url,
      `POST /apis/v2/userctx/user/child/create HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.token ?? ''}\r\n` +
        `content-type: application/json\r\nconnection: close\r\n${headers}\r\n{}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test('the rejected requests change no row and cause no internal error', async () => {
    const after = await tableDigests(service);
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    // The accepted updates with other names of JSON, and the upload sessions created with forged headers.
    expect(changed.filter((table) => !EXPECTED_CHANGES.includes(table))).toEqual([]);
    const [children] = await service.query<{ count: number }>('SELECT count(*)::int FROM userctx.child');
    expect(children).toEqual({ count: 1 });
    expect(service.errors).toEqual([]);
  });
});

const EXPECTED_CHANGES: readonly string[] = [
  'userctx.child',
  'userctx.outbox',
  'mcdisk.upload',
  'mcdisk.content',
  'mcdisk.family_cloud',
  'mcdisk.outbox',
];

/** Sends raw bytes. @returns the response until the end of the connection */
function raw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request));
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
