import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readlink, truncate, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  SIGNED_URL_TTL_MS,
  DOWNLOAD_VARIANT,
  type DownloadVariant,
} from '@family-watch/domain/family-cloud/contracts/content';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { SignedUrlService } from '../../src/sharing/signed-urls/signed-url.service.js';
import { CloudServer } from '../support/cloud-server.js';
import { expectedRange } from '../support/expected-range.js';
import { createUser } from '../support/family.js';
import { createNoisePicture } from '../support/pictures.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

// Uses a separate server, because a test counts open files in the whole directory of blobs.
describe('downloads', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  let urls: SignedUrlService;
  let number = 0;

  beforeAll(async () => {
    ({ server, family, cloudID, owner } = await createCloud(await CloudServer.start()));
    urls = server.get(SignedUrlService);
  });
  afterAll(() => server.stop());

  const stored = async (bytes: Uint8Array) => {
    const contentID = await owner.uploadFile(cloudID, `file ${(number += 1)}`, bytes);
    return { contentID, link: await owner.createDownloadUrl(cloudID, contentID) };
  };
  const fileOf = async (contentID: string) => {
    const blobKey = await server.findBlobKey(contentID);
    return join(server.dataDir, 'blobs/live', blobKey.slice(0, 2), blobKey);
  };
  const signUrl = (contentID: string, { caller = family.owner, cloud = cloudID, variant = 1, age = 0 } = {}) =>
    urls.createUrl(
      { cloudID: cloud, caller, origin: server.url },
      contentID,
      variant as DownloadVariant,
      Date.now() - age,
    );
  const openFiles = async () => {
    const names = await readdir('/proc/self/fd');
    const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
    return paths.filter((path) => path.startsWith(join(server.dataDir, 'blobs/live'))).length;
  };

  test.each([1, 10, 65_536, 65_537, 300_000, 1_500_000])(
    'returns the requested slice for any range of a file of %i bytes',
    async (size) => {
      const bytes = randomBytes(size);
      const { link } = await stored(bytes);
      const position = fc.oneof(fc.nat(size + 2), fc.constant(''));
      await fc.assert(
        fc.asyncProperty(position, position, async (first, last) => {
          const response = await fetch(link, { headers: { range: `bytes=${first}-${last}` } });
          const body = Buffer.from(await response.arrayBuffer());
          const expected = expectedRange(bytes, first, last);
          expect(response.status).toBe(expected.status);
          expect(response.headers.get('content-range')).toBe(expected.contentRange);
          if (expected.status === 416) return;
          expect(body.equals(expected.body)).toBe(true);
          expect(response.headers.get('content-length')).toBe(String(expected.body.length));
        }),
        { numRuns: propertyRuns(8) },
      );
    },
  );

  test('HEAD returns the headers of GET without the bytes', async () => {
    const { link } = await stored(randomBytes(400_000));
    for (const headers of [{}, { range: 'bytes=100-199' }, { range: 'bytes=400000-' }, { 'if-none-match': '*' }]) {
      const [get, head] = [await fetch(link, { headers }), await fetch(link, { method: 'HEAD', headers })];
      expect(head.status).toBe(get.status);
      expect(await head.text()).toBe('');
      const own = ['date', 'x-request-id', 'x-ratelimit-remaining', 'connection', 'keep-alive'];
      const headersOf = (answer: Response) => [...answer.headers].filter(([name]) => !own.includes(name));
      expect(headersOf(head)).toEqual(headersOf(get));
      await get.arrayBuffer();
    }
  });

  test('evaluates conditional headers on the entity tag and the modification time', async () => {
    const bytes = randomBytes(1_000);
    const { link } = await stored(bytes);
    const first = await fetch(link);
    const [etag, modified] = [first.headers.get('etag')!, first.headers.get('last-modified')!];
    expect(etag).toBe(`"${sha256(bytes)}"`);
    expect(Math.abs(Date.parse(modified) - Date.now())).toBeLessThan(10 * MINUTE_MS);
    const statusWith = async (headers: Record<string, string>) => (await fetch(link, { headers })).status;
    expect(await statusWith({ 'if-match': etag })).toBe(200);
    expect(await statusWith({ 'if-match': '"x"' })).toBe(412);
    expect(await statusWith({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(412);
    expect(await statusWith({ 'if-modified-since': modified })).toBe(304);
    expect(await statusWith({ 'if-range': modified, range: 'bytes=0-1' })).toBe(206);
    const known = await fetch(link, { headers: { 'if-none-match': etag } });
    expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, etag, '']);
    const refused = await fetch(link, { headers: { 'if-match': '"x"' } });
    expect(await refused.json()).toMatchObject({ code: 412001, data: null, reason: 'PRECONDITION_FAILED' });
    const beyond = await fetch(link, { headers: { range: 'bytes=1000-' } });
    expect(await beyond.json()).toMatchObject({ code: 416001, data: null, reason: 'RANGE_NOT_SATISFIABLE' });
  });

  test('returns a thumbnail URL once the thumbnail exists; bytes and entity tag differ from the original', async () => {
    const picture = await createNoisePicture(900, 700).png().toBuffer();
    const contentID = await owner.uploadFile(cloudID, 'picture.png', picture);
    const findListedContent = async () => {
      const { cloudContentList } = await owner.list(cloudID, { pageInfo: { pageSize: 200 } });
      return cloudContentList.find((content) => content.contentID === contentID) as unknown as {
        thumbnailURL: string;
      };
    };
    await waitUntil('the thumbnail to be ready', async () => (await findListedContent()).thumbnailURL !== '');
    const downloadUrl = await owner.post<{ downloadURL: string }>('getFileDownLoadURL', {
      cloudID,
      contentID,
      variant: 2,
    });
    for (const url of [(await findListedContent()).thumbnailURL, downloadUrl.body.data.downloadURL]) {
      const response = await fetch(url);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect(response.headers.get('etag')).toBe(`"${sha256(bytes)}"`);
      expect(bytes.equals(picture)).toBe(false);
      expect(response.headers.get('content-disposition')).toContain('picture.jpg');
    }
  });

  test('shows the thumbnail of a content in the recycle bin to those who may restore it, and nothing else of it', async () => {
    const contentID = await owner.uploadFile(cloudID, 'bin.png', await createNoisePicture(300, 200).png().toBuffer());
    const listed = async (operation: 'queryContentList' | 'queryRecycleList', client = owner) => {
      const { body } = await client.post<Record<string, { contentID: string; thumbnailURL: string }[]>>(operation, {
        cloudID,
        pageInfo: { pageSize: 200 },
      });
      const list = body.data[operation === 'queryRecycleList' ? 'contentList' : 'cloudContentList'] ?? [];
      return list.find((content) => content.contentID === contentID)?.thumbnailURL ?? '';
    };
    await waitUntil('the thumbnail to be ready', async () => (await listed('queryContentList')) !== '');
    const ofActive = await listed('queryContentList');
    await owner.delete(cloudID, [contentID]);
    const ofRecycled = await listed('queryRecycleList');
    const statusOf = async (url: string) => (await fetch(url)).status;
    expect([await statusOf(ofRecycled), await statusOf(ofActive)]).toEqual([200, 404]);
    const download = await owner.post('getFileDownLoadURL', { cloudID, contentID });
    expect(download.body.reason).toBe('CONTENT_NOT_FOUND');
    await owner.post('restoreContents', { cloudID, contentIDList: [contentID] });
    expect(await statusOf(ofRecycled)).toBe(404);
  });

  test('returns no thumbnail URL for contents without a thumbnail', async () => {
    const { contentID } = await stored(Buffer.from('only text'));
    const answer = await owner.post('getFileDownLoadURL', { cloudID, contentID, variant: DOWNLOAD_VARIANT.THUMBNAIL });
    expect([answer.status, answer.body.reason]).toEqual([404, 'CONTENT_NOT_FOUND']);
    expect((await fetch(signUrl(contentID, { variant: DOWNLOAD_VARIANT.THUMBNAIL }))).status).toBe(404);
  });

  test.each([0, 3, -1, 1.5, '1', [], {}])('rejects the variant %j', async (variant) => {
    const { contentID } = await stored(Buffer.from('x'));
    const answer = await owner.post('getFileDownLoadURL', { cloudID, contentID, variant });
    expect([answer.status, answer.body.reason]).toEqual([400, 'VALIDATION_FAILED']);
  });

  test('A22 returns 404 for a URL that is modified, expired or dated in the future', async () => {
    const { contentID, link } = await stored(Buffer.from('x'));
    const token = link.split('/').at(-1)!;
    const base = link.slice(0, -token.length);
    for (let at = 0; at < token.length; at += 1) {
      const forged = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect((await fetch(base + forged)).status).toBe(404);
    }
    for (const forged of ['', '..', '%2e%2e%2f', `${token}A`, `${token}=`, 'A'.repeat(256), 'A'.repeat(10_000)]) {
      expect((await fetch(base + forged)).status).toBeGreaterThanOrEqual(404);
    }
    const ago = (age: number) => signUrl(contentID, { age });
    expect((await fetch(ago(SIGNED_URL_TTL_MS - 60_000))).status).toBe(200);
    expect((await fetch(ago(SIGNED_URL_TTL_MS))).status).toBe(404);
  });

  test('returns 404 for a URL whose holder may not read the content', async () => {
    const { contentID } = await stored(Buffer.from('x'));
    const statusFor = async (options: object) => (await fetch(signUrl(contentID, options))).status;
    expect(await statusFor({ caller: family.guardian })).toBe(200);
    expect(await statusFor({ caller: family.contact })).toBe(404);
    expect(await statusFor({ caller: createUser() })).toBe(404);
    expect(await statusFor({ cloud: randomUUID() })).toBe(404);
  });

  test('buffers at most 2 MiB for a client that reads nothing, and closes the file when it disconnects', async () => {
    const { link } = await stored(randomBytes(16 * MIB));
    const { pathname, port } = new URL(link);
    const READERS = 20;
    const before = process.memoryUsage().arrayBuffers;
    const sockets = await Promise.all(
      Array.from({ length: READERS }, async () => {
        const socket = connect({ host: '127.0.0.1', port: Number(port) });
        await once(socket, 'connect');
        socket.pause();
        socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\n\r\n`);
        return socket;
      }),
    );
    await waitUntil('one open file per reader', async () => (await openFiles()) === READERS);
    await sleep(300);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(READERS * 2 * MIB);
    for (const socket of sockets) socket.destroy();
    await waitUntil('all files to be closed', async () => (await openFiles()) === 0);
    expect((await fetch(link, { headers: { range: 'bytes=0-0' } })).status).toBe(206);
  });

  test('closes the file when the client disconnects during the download', async () => {
    const { link } = await stored(randomBytes(8 * MIB));
    for (let round = 0; round < 20; round += 1) {
      const abort = new AbortController();
      const response = await fetch(link, { signal: abort.signal });
      const reader = response.body!.getReader();
      for (let count = 0; count < round % 5; count += 1) await reader.read();
      abort.abort();
    }
    await waitUntil('all files to be closed', async () => (await openFiles()) === 0);
  });

  test('aborts the response when bytes are missing in the store', async () => {
    const large = await stored(randomBytes(2 * MIB));
    await truncate(await fileOf(large.contentID), MIB + 5);
    const response = await fetch(large.link);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    const small = await stored(randomBytes(100_000));
    await truncate(await fileOf(small.contentID), 10);
    expect((await fetch(small.link)).status).toBe(500);
    for (const { contentID, link } of [await stored(randomBytes(2 * MIB)), await stored(randomBytes(1_000))]) {
      await unlink(await fileOf(contentID));
      expect((await fetch(link)).status).toBe(500);
    }
    await waitUntil('all files to be closed', async () => (await openFiles()) === 0);
  });
});
