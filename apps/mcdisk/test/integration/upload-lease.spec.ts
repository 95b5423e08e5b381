import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { waitFor, waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { UploadAppendService } from '../../src/transfers/uploads/upload-append.service.js';
import { UploadLeasesService } from '../../src/transfers/uploads/upload-leases.service.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { moveMonotonicClock } from '../support/monotonic-clock.js';
import { headUpload, offsetOf, openPatch, patchUpload, tusUpload } from '../support/tus-requests.js';

/** How long a request waits for a lease. */
const ACQUIRE_TIMEOUT_MS = 10_000;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('uploads with two nodes on one database and one disk', () => {
  let { cloudID, owner } = {} as TestCloud;
  let first: CloudServer;
  let second: CloudServer;

  beforeAll(async () => {
    first = await CloudServer.start();
    second = await CloudServer.startSecondNode(first);
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });
  beforeEach(async () => {
    ({ cloudID, owner } = await createCloud(first));
  });
  afterEach(() => void jest.restoreAllMocks());

  const announce = async (size: number) => {
    const { contentID, tusURL } = await owner.announceFile(cloudID, size);
    return { contentID, ownUrl: tusURL, otherUrl: tusURL.replace(first.url, second.url) };
  };

  const findUpload = async (contentID: string) => {
    const [row] = await first.query<{
      state: string;
      holder: string | null;
      isReleaseRequested: boolean;
      blob: string | null;
    }>(
      `SELECT state, lock_holder AS holder, lock_wanted AS "isReleaseRequested", blob_key AS blob
         FROM mcdisk.upload WHERE content_id = $1`,
      [contentID],
    );
    return row!;
  };
  const holderOf = async (contentID: string) => (await findUpload(contentID)).holder;
  /** The upload gets its file after its lease. */
  const stagedFile = async (contentID: string) => {
    const blob = await waitUntilFound('the staged file', async () => (await findUpload(contentID)).blob ?? undefined);
    return join(first.dataDir, 'blobs', 'staging', blob);
  };
  const readBack = (contentID: string) => owner.download(cloudID, contentID);

  test('exactly one of several concurrent appends at the same offset is accepted', async () => {
    const [size, half] = [400_000, 200_000];
    const { ownUrl, otherUrl, contentID } = await announce(size);
    const parts = [ownUrl, otherUrl, ownUrl, otherUrl].map((url) => ({ url, bytes: randomBytes(half) }));
    const responses = await Promise.all(parts.map(({ url, bytes }) => patchUpload(url, 0, bytes)));
    // A request that another request stops before its first byte gets 204 with offset 0.
    const receivedSizes = responses.map(({ status, headers }) =>
      status === 204 ? Number(headers.get('upload-offset')) : 0,
    );
    expect(receivedSizes.filter((bytes) => bytes > 0)).toHaveLength(1);
    const rejected = responses.filter(({ status }) => status !== 204);
    expect(rejected.every(({ reason }) => reason === 'UPLOAD_OFFSET')).toBe(true);
    const offset = Math.max(...receivedSizes);
    expect(await offsetOf(ownUrl)).toBe(offset);
    const winner = parts[receivedSizes.indexOf(offset)]!;
    const rest = randomBytes(half);
    const remaining = Buffer.concat([winner.bytes.subarray(offset), rest]);
    expect((await patchUpload(otherUrl, offset, remaining)).status).toBe(204);
    expect(sha256(await readBack(contentID))).toBe(sha256(Buffer.concat([winner.bytes, rest])));
  });

  test('a request on another node aborts the request that currently sends bytes, and the received bytes are kept', async () => {
    const size = 3_000_000;
    const bytes = randomBytes(size);
    const { ownUrl, otherUrl, contentID } = await announce(size);
    const patch = openPatch(ownUrl, 0, size, bytes.subarray(0, 1_000_000));
    await waitFor(async () => expect(await holderOf(contentID)).not.toBeNull());
    const staged = await stagedFile(contentID);
    await waitFor(async () => expect((await stat(staged)).size).toBeGreaterThan(0));
    const offset = await offsetOf(otherUrl);
    expect(offset).toBeGreaterThan(0);
    expect(offset).toBeLessThanOrEqual(1_000_000);
    // The aborted request sends further bytes, which have no effect.
    patch.write(randomBytes(500_000));
    await tusUpload(otherUrl, bytes).done;
    patch.abort();
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
  });

  test('parts that are sent to alternating nodes form the complete file', async () => {
    const bytes = randomBytes(1_000_003);
    const { ownUrl, otherUrl, contentID } = await announce(bytes.length);
    const cuts = [0, 1, 70_000, 70_001, 999_999, bytes.length];
    for (const [index, start] of cuts.slice(0, -1).entries()) {
      const response = await patchUpload(
        index % 2 === 0 ? ownUrl : otherUrl,
        start,
        bytes.subarray(start, cuts[index + 1]),
      );
      expect(response.status).toBe(204);
    }
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
  });

  test('bytes of a holder that continues after its lease expired are ignored', async () => {
    const size = 200_000;
    const { otherUrl, contentID } = await announce(size);
    const lease = await first.get(UploadLeasesService).acquire(contentID);
    const uploadAppend = first.get(UploadAppendService);
    const gate = Promise.withResolvers<void>();
    const sending = async function* () {
      yield randomBytes(50_000);
      await gate.promise;
      yield randomBytes(150_000);
    };
    const slow = uploadAppend.append(lease, Readable.from(sending())).then(
      () => undefined,
      (error: unknown) => (error as ServiceError).reason,
    );
    await waitFor(async () => expect((await findUpload(contentID)).state).toBe('RECEIVING'));
    await expireLease(contentID);
    const bytes = randomBytes(size);
    await tusUpload(otherUrl, bytes).done;
    gate.resolve();
    expect(['UPLOAD_LOCKED', 'UPLOAD_STATE', 'UPLOAD_OFFSET', 'STORE_UNAVAILABLE']).toContain(await slow);
    await first.get(UploadLeasesService).release(lease);
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
    expect(await first.findSizes(cloudID)).toMatchObject({ usedSize: size, reservedSize: 0 });
  });

  test('a write of an expired holder has no effect after another request has only queried the offset', async () => {
    const bytes = randomBytes(200_000);
    const { ownUrl, otherUrl, contentID } = await announce(bytes.length);
    await patchUpload(ownUrl, 0, bytes.subarray(0, 80_000));
    await expireLease(contentID);
    const staged = await stagedFile(contentID);
    // Acts as the expired holder, which has the staged file open and writes late.
    const slow = await open(staged, 'r+');
    expect(await offsetOf(otherUrl)).toBe(80_000);
    expect((await patchUpload(otherUrl, 80_000, bytes.subarray(80_000, 150_000))).status).toBe(204);
    await slow.write(randomBytes(50_000), 0, 50_000, 80_000);
    await slow.close();
    expect((await patchUpload(otherUrl, 150_000, bytes.subarray(150_000))).status).toBe(204);
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
    expect(await holderOf(contentID)).toBeNull();
  });

  test('bytes that were never acknowledged do not change the digest of the file', async () => {
    const bytes = randomBytes(1_000);
    const { ownUrl, otherUrl, contentID } = await announce(bytes.length);
    await patchUpload(ownUrl, 0, bytes.subarray(0, 100));
    const leases = first.get(UploadLeasesService);
    const lease = await leases.acquire(contentID);
    await expireLease(contentID);
    const other = await second.get(UploadLeasesService).acquire(contentID);
    const lostAppend = first.get(UploadAppendService).append(lease, Readable.from([randomBytes(300)]));
    await expect(lostAppend).rejects.toMatchObject({ reason: 'UPLOAD_LOCKED' });
    await leases.release(lease);
    await second.get(UploadLeasesService).release(other);
    expect((await patchUpload(otherUrl, 100, bytes.subarray(100, 400))).status).toBe(204);
    expect((await patchUpload(ownUrl, 400, bytes.subarray(400))).status).toBe(204);
    const [content] = await first.query('SELECT digest FROM mcdisk.content WHERE content_id = $1', [contentID]);
    expect(content).toEqual({ digest: sha256(bytes) });
  });

  test('a holder with an expired lease is aborted when the same process acquires the lease again', async () => {
    const { contentID } = await announce(10);
    const leases = first.get(UploadLeasesService);
    const previous = await leases.acquire(contentID);
    await expireLease(contentID);
    const current = await leases.acquire(contentID);
    expect([previous.signal.aborted, current.signal.aborted]).toEqual([true, false]);
    await leases.release(previous);
    expect(await holderOf(contentID)).toBe(current.holder);
    await leases.release(current);
  });

  test('an upload restarts at offset 0 when the disk has lost the staged file', async () => {
    const bytes = randomBytes(1_000);
    const { ownUrl, otherUrl, contentID } = await announce(bytes.length);
    await patchUpload(ownUrl, 0, bytes.subarray(0, 500));
    await first.deleteStagedFiles();
    expect(await patchUpload(otherUrl, 500, bytes.subarray(500))).toMatchObject({
      status: 409,
      reason: 'UPLOAD_OFFSET',
    });
    expect(await offsetOf(otherUrl)).toBe(0);
    expect((await patchUpload(ownUrl, 0, bytes)).status).toBe(204);
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
  });

  test('a request gets UPLOAD_LOCKED after a bounded wait when the holder does not stop', async () => {
    const { otherUrl, contentID } = await announce(10);
    await first.query('UPDATE mcdisk.upload SET lock_holder = $2, lock_until = $3 WHERE content_id = $1', [
      contentID,
      randomUUID(),
      Date.now() + 60 * 60_000,
    ]);
    const acquire = jest.spyOn(second.get(UploadLeasesService), 'acquire');
    const responses = Promise.all([patchUpload(otherUrl, 0, randomBytes(10)), headUpload(otherUrl)]);
    await waitUntil('both requests to wait for the lease', async () => {
      return acquire.mock.calls.length === 2 && (await findUpload(contentID)).isReleaseRequested;
    });
    moveMonotonicClock(ACQUIRE_TIMEOUT_MS);
    const [response, head] = await responses;
    expect(response).toMatchObject({ status: 423, reason: 'UPLOAD_LOCKED' });
    expect(head.status).toBe(423);
  });

  /** Expires the lease of the upload, as if its holder had crashed. */
  async function expireLease(contentID: string): Promise<void> {
    await first.query(
      'UPDATE mcdisk.upload SET lock_holder = coalesce(lock_holder, $2), lock_until = 0 WHERE content_id = $1',
      [contentID, randomUUID()],
    );
  }
});
