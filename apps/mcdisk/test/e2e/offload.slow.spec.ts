import { createHash, randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EnvironmentError, loadEnvironment } from '@family-watch/platform/config/load-environment';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { CloudServer } from '../support/cloud-server.js';
import { NginxEdge } from '../support/nginx-edge.js';
import { expectedRange } from '../support/expected-range.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { needs } from '@family-watch/testing/requirements/needs';

const OFFLOAD_SETTING = 'x-accel:/_blobs/';
const FILE_SIZE = 900_000;

describe('FILE_OFFLOAD', () => {
  test.each([OFFLOAD_SETTING, 'x-accel:/files/of_mcdisk/'])('accepts the value %s', (FILE_OFFLOAD) => {
    expect(loadEnvironment({ FILE_OFFLOAD }).FILE_OFFLOAD).toBe(FILE_OFFLOAD);
  });

  test.each(['yes', 'x-accel:', 'x-accel:/', 'x-accel:_blobs/', 'x-accel:/_blobs', 'x-accel:/../', 'x-sendfile:/a/'])(
    'rejects the value %s at startup',
    (FILE_OFFLOAD) => {
      expect(() => loadEnvironment({ FILE_OFFLOAD })).toThrow(EnvironmentError);
    },
  );
});

needs('nginx').describe('downloads offloaded to nginx', () => {
  let { server, cloudID, owner } = {} as TestCloud;
  const bytes = randomBytes(FILE_SIZE);
  let edge: NginxEdge;
  let direct: string;
  let link: string;

  beforeAll(async () => {
    ({ server, cloudID, owner } = await createCloud(await CloudServer.start({ FILE_OFFLOAD: OFFLOAD_SETTING })));
    edge = await NginxEdge.start(server.url, server.dataDir);
    ({ direct, link } = await store('film é.bin', bytes));
  });
  afterAll(async () => {
    await edge.stop();
    await server.stop();
  });

  /** Stores a file. Returns its URL at mcdisk (`direct`) and at nginx, and its path in the store. */
  const store = async (name: string, content = randomBytes(FILE_SIZE)) => {
    const contentID = await owner.uploadFile(cloudID, name, content);
    const url = await owner.createDownloadUrl(cloudID, contentID);
    const blobKey = await server.findBlobKey(contentID);
    const path = `live/${blobKey.slice(0, 2)}/${blobKey}`;
    return { contentID, direct: url, link: url.replace(server.url, edge.url), path };
  };

  test('mcdisk returns the internal path of the file to nginx and no bytes', async () => {
    const answer = await fetch(direct);
    expect(answer.headers.get('x-accel-redirect')).toMatch(/^\/_blobs\/live\/[0-9a-f]{2}\/[0-9a-f-]{36}$/);
    expect(await answer.text()).toBe('');
  });

  test('nginx returns the same bytes and headers as mcdisk without nginx', async () => {
    const answer = await fetch(link);
    const body = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, body.equals(bytes)]).toEqual([200, true]);
    const expectedHeaders = (await fetch(direct)).headers;
    const names = ['etag', 'last-modified', 'content-disposition', 'content-type', 'cache-control', 'referrer-policy'];
    for (const name of [...names, 'x-content-type-options', 'content-security-policy']) {
      expect([name, answer.headers.get(name)]).toEqual([name, expectedHeaders.get(name)]);
    }
    expect(answer.headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.headers.get('x-accel-redirect')).toBeNull();
  });

  test('nginx returns the requested slice for any range', async () => {
    const position = fc.oneof(fc.nat(FILE_SIZE + 2), fc.constant(''));
    await fc.assert(
      fc.asyncProperty(position, position, async (first, last) => {
        const answer = await fetch(link, { headers: { range: `bytes=${first}-${last}` } });
        const body = Buffer.from(await answer.arrayBuffer());
        const expected = expectedRange(bytes, first, last);
        expect(answer.status).toBe(expected.status);
        if (expected.status === 416) return;
        expect(answer.headers.get('content-range')).toBe(expected.contentRange);
        expect(body.equals(expected.body)).toBe(true);
      }),
      { numRuns: propertyRuns(13) },
    );
  });

  test('nginx evaluates conditional headers like mcdisk without nginx', async () => {
    const { headers } = await fetch(direct);
    const [tag, modified] = [headers.get('etag')!, headers.get('last-modified')!];
    const past = 'Thu, 01 Jan 1970 00:00:00 GMT';
    const cases: [Record<string, string>, number][] = [
      [{ 'if-none-match': tag }, 304],
      [{ 'if-none-match': '"x"' }, 200],
      [{ 'if-match': tag }, 200],
      [{ 'if-match': '"x"' }, 412],
      [{ 'if-modified-since': modified }, 304],
      [{ 'if-modified-since': past }, 200],
      [{ 'if-unmodified-since': modified }, 200],
      [{ 'if-unmodified-since': past }, 412],
      [{ 'if-range': tag, range: 'bytes=5-9' }, 206],
      [{ 'if-range': modified, range: 'bytes=5-9' }, 206],
      [{ 'if-range': '"x"', range: 'bytes=5-9' }, 200],
      [{ 'if-range': past, range: 'bytes=5-9' }, 200],
      [{ 'if-match': tag, range: 'bytes=5-9' }, 206],
      [{ range: 'bytes=0-1,5-9' }, 200],
      [{ range: 'bytes=900000-' }, 416],
    ];
    for (const [asked, status] of cases) {
      const answer = await fetch(link, { headers: asked });
      expect([asked, answer.status]).toEqual([asked, status]);
      const body = Buffer.from(await answer.arrayBuffer());
      if (status === 206) expect(body.equals(bytes.subarray(5, 10))).toBe(true);
      if (status === 200) expect(body.equals(bytes)).toBe(true);
    }
  });

  test('mcdisk responds to HEAD, small files and errors itself', async () => {
    const head = await fetch(link, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(FILE_SIZE)]);
    const small = await store('small', Buffer.from('small'));
    expect(await (await fetch(small.link)).text()).toBe('small');
    const guess = await fetch(`${edge.url}/app-api/mcdisk/blob/${'x'.repeat(43)}`);
    expect(await guess.json()).toMatchObject({ reason: 'LINK_NOT_FOUND' });
  });

  test('nginx rejects client requests for the internal path', async () => {
    const { path } = await store('hidden');
    const ways = [`/_blobs/${path}`, `/_blobs/`, `//_blobs/${path}`, `/%5fblobs/${path}`, `/x/../_blobs/${path}`];
    for (const way of [...ways, `/docs/../_blobs/${path}`, `/_blobs/../blobs/${path}`]) {
      const status = await statusOf(edge.url, way);
      expect([way, status]).toEqual([way, status === 400 ? 400 : 404]);
    }
    const forged = await fetch(`${edge.url}/app-api/mcdisk/blob/x`, {
      headers: { 'x-accel-redirect': `/_blobs/${path}` },
    });
    expect(forged.status).toBe(404);
  });

  test('returns 404 for a URL whose content was deleted', async () => {
    const gone = await store('gone soon');
    expect((await fetch(gone.link)).status).toBe(200);
    await owner.delete(cloudID, [gone.contentID]);
    expect((await fetch(gone.link)).status).toBe(404);
  });

  test('nginx returns an error and no partial response when the file is missing on disk', async () => {
    const lost = await store('lost');
    await unlink(join(server.dataDir, 'blobs', lost.path));
    const answer = await fetch(lost.link);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
  });
});

/** Requests the path and returns the status. Sends the path unchanged; `fetch` would normalize it. */
function statusOf(url: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject);
  });
}
