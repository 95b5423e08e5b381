import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { BlobStore, StoreFullError, StoreUnavailableError } from '../../src/storage/blobs/blob-store.js';
import { putBytes } from '../support/cloud-client.js';
import { NO_USAGE } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { deleteUpload, headUpload, offsetOf, patchUpload } from '../support/tus-requests.js';

const MINUTE_MS = 60_000;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('resumable uploads: invalid input', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  beforeEach(async () => {
    ({ server, family, cloudID, owner } = await createCloud());
  });

  const sizes = () => server.findUsage(cloudID);

  const announce = (size: number, digest?: string) => owner.announceFile(cloudID, size, digest);

  test('returns 404 for guessed and malformed tokens and for URLs of former members', async () => {
    const { tusURL } = await announce(10);
    const guess = tusURL.replace(/[^/]+$/, 'x'.repeat(43));
    const wayOut = tusURL.replace(/[^/]+$/, '..%2f..%2fsecret.key');
    await server.publishFamily({ ...family.snapshot, version: 2, members: [] });
    for (const url of [guess, wayOut, tusURL]) {
      expect((await headUpload(url)).status).toBe(404);
      expect(await patchUpload(url, 0, randomBytes(10))).toMatchObject({ status: 404, reason: 'UPLOAD_NOT_FOUND' });
      expect(await deleteUpload(url)).toMatchObject({ status: 404, reason: 'UPLOAD_NOT_FOUND' });
    }
  });

  test('returns 404 for an upload URL after its caller has signed out', async () => {
    const { tusURL } = await announce(10);
    await patchUpload(tusURL, 0, randomBytes(5));
    server.revokeSession(family.owner.sessionId);
    expect((await patchUpload(tusURL, 5, randomBytes(5))).status).toBe(404);
  });

  test('releases the reserved quota when the session of the caller ends', async () => {
    const { tusURL } = await announce(10);
    await patchUpload(tusURL, 0, randomBytes(5));
    const endSession = ({ id: userId, sessionId }: Principal) =>
      server.publish('userctx', {
        name: 'userctx.session.ended',
        key: `user:${userId}`,
        payload: { userId, sessionId },
      });
    await endSession(family.guardian);
    expect(await sizes()).toEqual({ ...NO_USAGE, reservedSize: 10 });
    await endSession(family.owner);
    expect(await sizes()).toEqual(NO_USAGE);
    expect((await headUpload(tusURL)).status).toBe(404);
  });

  test.each([
    ['no protocol version', { 'tus-resumable': '' }, 412, 'PRECONDITION_FAILED'],
    ['an unsupported protocol version', { 'tus-resumable': '0.2.2' }, 412, 'PRECONDITION_FAILED'],
    ['another Content-Type', { 'content-type': 'application/octet-stream' }, 415, 'MEDIA_TYPE_UNSUPPORTED'],
    ['the Content-Type application/json', { 'content-type': 'application/json' }, 415, 'MEDIA_TYPE_UNSUPPORTED'],
    ['an offset that is not a number', { 'upload-offset': 'x' }, 400, 'MALFORMED_REQUEST'],
    ['a negative offset', { 'upload-offset': '-1' }, 400, 'MALFORMED_REQUEST'],
    ['no offset', { 'upload-offset': '' }, 400, 'MALFORMED_REQUEST'],
    ['an offset other than the received size', { 'upload-offset': '3' }, 409, 'UPLOAD_OFFSET'],
    ['the length of the upload', { 'upload-length': '10' }, 400, 'MALFORMED_REQUEST'],
    ['a deferred length that is not 1', { 'upload-defer-length': '2' }, 400, 'MALFORMED_REQUEST'],
    ['an unknown concatenation', { 'upload-concat': 'x' }, 400, 'MALFORMED_REQUEST'],
    ['metadata that is not base64', { 'upload-metadata': 'name ?' }, 400, 'MALFORMED_REQUEST'],
  ])('rejects a PATCH with %s and stores nothing', async (_, headers, status, reason) => {
    const { tusURL } = await announce(10);
    expect(await patchUpload(tusURL, 0, randomBytes(10), headers)).toMatchObject({ status, reason });
    expect(await offsetOf(tusURL)).toBe(0);
    expect(await sizes()).toEqual({ ...NO_USAGE, reservedSize: 10 });
  });

  test('rejects a Content-Length above the announced size before the first byte', async () => {
    const { tusURL } = await announce(10);
    expect(await patchUpload(tusURL, 0, randomBytes(11))).toMatchObject({ status: 413, reason: 'BODY_TOO_LARGE' });
    expect(await offsetOf(tusURL)).toBe(0);
  });

  test('ends the upload when more bytes than announced are received without Content-Length', async () => {
    const { tusURL } = await announce(10);
    const body = new Blob([randomBytes(400_000)]).stream();
    expect(await patchUpload(tusURL, 0, body)).toMatchObject({ status: 413, reason: 'BODY_TOO_LARGE' });
    expect(await sizes()).toEqual(NO_USAGE);
    expect((await headUpload(tusURL)).status).toBe(404);
  });

  test('ends the upload when the digest differs from the announced one', async () => {
    const { tusURL } = await announce(10, sha256(Buffer.from('0123456789')));
    await patchUpload(tusURL, 0, Buffer.from('01234'));
    expect(await patchUpload(tusURL, 5, Buffer.from('xxxxx'))).toMatchObject({
      status: 400,
      reason: 'DIGEST_MISMATCH',
    });
    expect(await sizes()).toEqual(NO_USAGE);
    expect((await owner.list(cloudID)).totalCount).toBe(0);
  });

  test('rejects bytes after the upload is complete', async () => {
    const { tusURL } = await announce(4);
    await patchUpload(tusURL, 0, Buffer.from('four'));
    expect((await patchUpload(tusURL, 4, Buffer.from('more'))).status).toBe(413);
    expect((await patchUpload(tusURL, 0, Buffer.from('four'))).status).toBe(409);
    const nothing = await patchUpload(tusURL, 4, new Uint8Array());
    expect([nothing.status, nothing.headers.get('upload-receipt')]).toEqual([204, expect.stringContaining('size=4')]);
    expect(await deleteUpload(tusURL)).toMatchObject({ status: 409, reason: 'UPLOAD_STATE' });
    expect((await putBytes(tusURL.replace('/upload/', '/blob/'), Buffer.from('four'))).status).toBe(409);
    expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 4 });
  });

  test('deletes uploads that were idle for a day and keeps others', async () => {
    const { tusURL } = await announce(10);
    await patchUpload(tusURL, 0, randomBytes(5));
    await server.uploadTermination.expire(Date.now() + 23 * 60 * MINUTE_MS);
    expect(await offsetOf(tusURL)).toBe(5);
    await server.uploadTermination.expire(Date.now() + 25 * 60 * MINUTE_MS);
    expect((await headUpload(tusURL)).status).toBe(404);
    expect(await sizes()).toEqual(NO_USAGE);
  });

  test.each([
    ['full', new StoreFullError(), 507, 'STORE_FULL'],
    ['unavailable', new StoreUnavailableError(), 503, 'STORE_UNAVAILABLE'],
  ])('reports a blob store that is %s, keeps received bytes, and resumes later', async (_, error, status, reason) => {
    const store = server.get(BlobStore);
    const { tusURL } = await announce(10);
    const { uploadURL } = await announce(20);
    await patchUpload(tusURL, 0, Buffer.from('01234'));
    const faults = [
      jest.spyOn(store, 'append').mockRejectedValue(error),
      jest.spyOn(store, 'put').mockRejectedValue(error),
    ];
    const put = await putBytes(uploadURL, randomBytes(20));
    const patch = await patchUpload(tusURL, 5, Buffer.from('56789'));
    faults.forEach((fault) => fault.mockRestore());
    expect([put.status, put.body.reason]).toEqual([status, reason]);
    expect(patch).toMatchObject({ status, reason });
    expect(await sizes()).toEqual({ ...NO_USAGE, reservedSize: 30 });
    expect(await offsetOf(tusURL)).toBe(5);
    expect((await patchUpload(tusURL, 5, Buffer.from('56789'))).status).toBe(204);
    expect((await putBytes(uploadURL, randomBytes(20))).status).toBe(200);
    expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 30 });
  });
});
