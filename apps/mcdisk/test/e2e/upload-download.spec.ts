import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { putBytes } from '../support/cloud-client.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('upload and download', () => {
  let { server, cloudID, owner } = {} as TestCloud;
  beforeAll(async () => {
    ({ server, cloudID, owner } = await createCloud());
  });

  const store = async (name: string, bytes: Uint8Array) => {
    const contentID = await owner.uploadFile(cloudID, name, bytes);
    return { contentID, link: await owner.createDownloadUrl(cloudID, contentID) };
  };

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
    expect((await owner.download(cloudID, file!.contentID)).equals(bytes)).toBe(true);
  });

  test.each([
    ['application/json', Buffer.from('{"not": "parsed"')],
    ['text/plain', Buffer.from('plain')],
    ['image/png', PNG],
    ['nonsense', Buffer.from([0, 1, 2])],
  ])('stores the bytes unchanged for Content-Type %s', async (type, bytes) => {
    const { uploadURL } = await owner.announceFile(cloudID, bytes.length);
    const put = await putBytes(uploadURL, bytes, { 'content-type': type });
    expect(put.body.data.digest).toBe(sha256(bytes));
  });

  test('detects the media type from the bytes, not from the name', async () => {
    const { contentID, link } = await store('letter.txt', PNG);
    const { cloudContentList } = await owner.list(cloudID);
    expect(cloudContentList.find((content) => content.contentID === contentID)).toMatchObject({ contentType: 1 });
    const { headers } = await fetch(link);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-disposition')).toMatch(/^attachment; /);
  });

  test.each([
    ['in one request', 10_000],
    ['under a lease', 2_000_000],
  ])('detects the sound of a video container by the tracks at its end, uploaded %s', async (_, mediaBytes) => {
    const box = (type: string, body: Buffer) =>
      Buffer.concat([Buffer.from(Uint32Array.of(8 + body.length).buffer).swap32(), Buffer.from(type), body]);
    const sound = box('mdia', box('hdlr', Buffer.from('\0\0\0\0\0\0\0\0soun')));
    const bytes = Buffer.concat([
      box('ftyp', Buffer.from('isom\0\0\0\0')),
      box('mdat', randomBytes(mediaBytes)),
      box('moov', box('trak', sound)),
    ]);
    const { contentID, link } = await store('voice.mp4', bytes);
    const { cloudContentList } = await owner.list(cloudID);
    expect(cloudContentList.find((content) => content.contentID === contentID)).toMatchObject({ contentType: 2 });
    expect((await fetch(link)).headers.get('content-type')).toBe('audio/mp4');
  });

  test('serves files that a browser could execute as octet-stream', async () => {
    const svg = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
    const { headers } = await fetch((await store('a.svg', svg)).link);
    expect(headers.get('content-type')).toBe('application/octet-stream');
  });

  test.each(['第一天.jpg', 'a"b;c=d\'e.png', '😀'.repeat(60), 'a'.repeat(255), 'résumé (1)*.pdf'])(
    'keeps the file name %s',
    async (name) => {
      const { headers } = await fetch((await store(name, PNG)).link);
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
    const { link } = await store('empty', new Uint8Array());
    const response = await fetch(link);
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '0', '']);
    expect((await fetch(link, { headers: { range: 'bytes=0-' } })).status).toBe(416);
  });

  test('accepts bytes without a Content-Length', async () => {
    const bytes = randomBytes(100_000);
    const { uploadURL } = await owner.announceFile(cloudID, bytes.length);
    const put = await putBytes(uploadURL, new Blob([bytes]).stream());
    expect(put.body.data.digest).toBe(sha256(bytes));
  });

  test('responds 405 to methods other than GET, HEAD and PUT on blob URLs', async () => {
    const { link } = await store('file', PNG);
    for (const method of ['DELETE', 'POST', 'PATCH']) expect((await fetch(link, { method })).status).toBe(405);
  });

  test('operations other than uploads accept only JSON bodies', async () => {
    for (const type of ['image/png', 'application/octet-stream', 'application/xml']) {
      const answer = await owner.post('queryFamilyCloud', 'x', { 'content-type': type });
      expect([answer.status, answer.body.reason]).toEqual([415, 'MEDIA_TYPE_UNSUPPORTED']);
    }
  });

  test('writes no signed or capability URL to the log', async () => {
    const { link } = await store('secret', PNG);
    await fetch(link);
    const token = link.split('/').at(-1)!;
    expect(server.logs.length).toBeGreaterThan(0);
    expect(server.logs.join('')).not.toContain(token);
  });
});
