import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { putBytes } from '../support/cloud-client.js';
import type { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('upload and download', () => {
  const family = sampleFamily();
  const { cloudID } = family;
  let server: CloudServer;
  let owner: CloudClient;

  beforeAll(async () => {
    server = await CloudServer.getShared();
    await server.publishFamily(family.snapshot);
    owner = await server.as(family.owner);
  });
  afterAll(() => server.stop());

  test('an upload returns a receipt, and a download returns the same bytes', async () => {
    const bytes = randomBytes(700_000);
    const { body } = await owner.announce(cloudID, {
      contentName: 'video.bin',
      contentSize: bytes.length,
      digest: sha256(bytes).toUpperCase(),
    });
    const { uploadTaskID, newContentIDList } = body.data.uploadResult;
    const [file] = newContentIDList;
    expect(file).toMatchObject({ contentName: 'video.bin', isNeedUpload: true });
    const put = await putBytes(file!.uploadURL, bytes, { 'content-type': 'video/mp4' });
    expect(put.body).toEqual({
      code: 0,
      msg: 'ok',
      data: {
        contentID: file!.contentID,
        contentSize: bytes.length,
        digest: sha256(bytes),
        receipt: expect.stringContaining(sha256(bytes)),
      },
    });
    const complete = await owner.post('completeUpload', { cloudID, uploadTaskID });
    expect(complete.body.data).toEqual({ contentList: [put.body.data] });
    const link = await owner.createDownloadUrl(cloudID, file!.contentID);
    const response = await fetch(link);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test.each([
    ['application/json', Buffer.from('{"not": "parsed"')],
    ['text/plain', Buffer.from('plain')],
    ['image/png', PNG],
    ['nonsense', Buffer.from([0, 1, 2])],
  ])('stores the bytes unchanged for Content-Type %s', async (type, bytes) => {
    const { body } = await owner.announce(cloudID, { contentName: 'x', contentSize: bytes.length });
    const put = await putBytes(body.data.uploadResult.newContentIDList[0]!.uploadURL, bytes, { 'content-type': type });
    expect(put.body.data.digest).toBe(sha256(bytes));
  });

  test('detects the media type from the bytes, not from the name', async () => {
    const contentID = await owner.uploadFile(cloudID, 'letter.txt', PNG);
    const { cloudContentList } = await owner.list(cloudID);
    expect(cloudContentList.find((content) => content.contentID === contentID)).toMatchObject({ contentType: 1 });
    const { headers } = await fetch(await owner.createDownloadUrl(cloudID, contentID));
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-disposition')).toMatch(/^attachment; /);
  });

  test('serves files that a browser could execute as octet-stream', async () => {
    const svg = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
    const { headers } = await fetch(
      await owner.createDownloadUrl(cloudID, await owner.uploadFile(cloudID, 'a.svg', svg)),
    );
    expect(headers.get('content-type')).toBe('application/octet-stream');
  });

  test.each(['第一天.jpg', 'a"b;c=d\'e.png', '😀'.repeat(60), 'a'.repeat(255), 'résumé (1)*.pdf'])(
    'keeps the file name %s',
    async (name) => {
      const contentID = await owner.uploadFile(cloudID, name, PNG);
      const { headers } = await fetch(await owner.createDownloadUrl(cloudID, contentID));
      const encoded = /filename\*=UTF-8''(\S+)$/.exec(headers.get('content-disposition') ?? '')?.[1];
      expect(decodeURIComponent(encoded ?? '')).toBe(name);
    },
  );

  test.each(['', '.', '..', '../x', 'a/b', 'a\\b', 'a\nb', 'a\u0000b', '\ud800', 'a'.repeat(256), '😀'.repeat(64)])(
    'rejects the file name %j',
    async (contentName) => {
      const answer = await owner.announce(cloudID, { contentName, contentSize: 1 });
      expect([answer.status, answer.body.reason]).toEqual([400, 'VALIDATION_FAILED']);
    },
  );

  test('stores an empty file', async () => {
    const contentID = await owner.uploadFile(cloudID, 'empty', new Uint8Array());
    const link = await owner.createDownloadUrl(cloudID, contentID);
    const response = await fetch(link);
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '0', '']);
    expect((await fetch(link, { headers: { range: 'bytes=0-' } })).status).toBe(416);
  });

  test('accepts bytes without a Content-Length', async () => {
    const bytes = randomBytes(100_000);
    const { body } = await owner.announce(cloudID, { contentName: 'chunked', contentSize: bytes.length });
    const put = await putBytes(body.data.uploadResult.newContentIDList[0]!.uploadURL, new Blob([bytes]).stream());
    expect(put.body.data.digest).toBe(sha256(bytes));
  });

  describe('ranges and conditions', () => {
    const bytes = Buffer.from('0123456789');
    let link: string;

    beforeAll(async () => {
      link = await owner.createDownloadUrl(cloudID, await owner.uploadFile(cloudID, 'digits', bytes));
    });

    test.each([
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=-4', 206, '6789', 'bytes 6-9/10'],
      ['bytes=8-100', 206, '89', 'bytes 8-9/10'],
      ['bytes=0-1,3-4', 200, '0123456789', null],
      ['bytes=5-2', 200, '0123456789', null],
      ['lines=1-2', 200, '0123456789', null],
    ])('responds to Range %s as RFC 9110 defines', async (range, status, text, contentRange) => {
      const response = await fetch(link, { headers: { range } });
      expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([
        status,
        text,
        contentRange,
      ]);
    });

    test('returns 416 with the size for a range beyond the end', async () => {
      const response = await fetch(link, { headers: { range: 'bytes=10-' } });
      expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10']);
      expect(await response.json()).toMatchObject({ code: 416001, data: null, reason: 'RANGE_NOT_SATISFIABLE' });
    });

    test('evaluates conditional headers on the entity tag', async () => {
      const tag = (await fetch(link)).headers.get('etag')!;
      expect(tag).toBe(`"${sha256(bytes)}"`);
      const known = await fetch(link, { headers: { 'if-none-match': `"x", W/${tag}` } });
      expect([known.status, await known.text()]).toEqual([304, '']);
      const other = await fetch(link, { headers: { 'if-none-match': '"other"' } });
      expect(other.status).toBe(200);
      const fits = await fetch(link, { headers: { 'if-range': tag, range: 'bytes=0-0' } });
      expect(fits.status).toBe(206);
      const stale = await fetch(link, { headers: { 'if-range': '"old"', range: 'bytes=0-0' } });
      expect(stale.status).toBe(200);
    });

    test('responds 405 to methods other than GET, HEAD and PUT on blob URLs', async () => {
      for (const method of ['DELETE', 'POST', 'PATCH']) expect((await fetch(link, { method })).status).toBe(405);
    });
  });

  test('operations other than uploads accept only JSON bodies', async () => {
    for (const type of ['image/png', 'application/octet-stream', 'application/xml']) {
      const answer = await owner.post('queryFamilyCloud', 'x', { 'content-type': type });
      expect([answer.status, answer.body.reason]).toEqual([415, 'MEDIA_TYPE_UNSUPPORTED']);
    }
  });

  test('writes no signed or capability URL to the log', async () => {
    const contentID = await owner.uploadFile(cloudID, 'secret', PNG);
    const link = await owner.createDownloadUrl(cloudID, contentID);
    await fetch(link);
    const token = link.split('/').at(-1)!;
    expect(server.logs.length).toBeGreaterThan(0);
    expect(server.logs.join('')).not.toContain(token);
  });
});
