import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { UploadAppendService } from '../../src/contexts/uploads/upload-append.service.js';
import { UploadLeasesService } from '../../src/contexts/uploads/upload-leases.service.js';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import { headUpload, offsetOf, openPatch, patchUpload, tusUpload } from '../support/tus-requests.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('two nodes on one database and one disk', () => {
  let first: CloudServer;
  let second: CloudServer;
  let owner: CloudClient;
  let cloudID: string;

  beforeAll(async () => {
    first = await CloudServer.start();
    second = await CloudServer.beside(first);
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });
  beforeEach(async () => {
    const family = sampleFamily();
    cloudID = family.cloudID;
    await first.familyChanged(family.snapshot);
    owner = await CloudClient.of(first, family.owner);
  });

  const announce = async (contentSize: number) => {
    const { body } = await owner.announce(cloudID, { contentName: 'film.mp4', contentSize });
    const [file] = body.data.uploadResult.newContentIDList;
    const there = file!.tusURL.replace(first.url, second.url);
    return { contentID: file!.contentID, here: file!.tusURL, there };
  };

  const holderOf = async (contentID: string) => {
    const [row] = await first.unitOfWork.executor.query<{ holder: string | null }>(
      'SELECT lock_holder AS holder FROM mcdisk.upload WHERE content_id = $1',
      [contentID],
    );
    return row?.holder;
  };

  const blobOf = async (contentID: string) => {
    const [row] = await first.unitOfWork.executor.query<{ key: string | null }>(
      'SELECT blob_key AS key FROM mcdisk.upload WHERE content_id = $1',
      [contentID],
    );
    return row?.key ?? '';
  };

  const readBack = async (contentID: string) =>
    Buffer.from(await (await fetch(await owner.linkTo(cloudID, contentID))).arrayBuffer());

  test('of appends at one offset on both, one counts', async () => {
    const [size, half] = [400_000, 200_000];
    const { here, there, contentID } = await announce(size);
    const pieces = [here, there, here, there].map((url) => ({ url, bytes: randomBytes(half) }));
    const answers = await Promise.all(pieces.map(({ url, bytes }) => patchUpload(url, 0, bytes)));
    // Who is asked to stop before a byte came says so: 204 at offset 0.
    const taken = answers.map(({ status, headers }) => (status === 204 ? Number(headers.get('upload-offset')) : 0));
    expect(taken.filter((bytes) => bytes > 0)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 204);
    expect(refused.every(({ reason }) => reason === 'UPLOAD_OFFSET')).toBe(true);
    const offset = Math.max(...taken);
    expect(await offsetOf(here)).toBe(offset);
    const winner = pieces[taken.indexOf(offset)]!;
    const rest = randomBytes(half);
    const more = Buffer.concat([winner.bytes.subarray(offset), rest]);
    expect((await patchUpload(there, offset, more)).status).toBe(204);
    expect(sha256(await readBack(contentID))).toBe(sha256(Buffer.concat([winner.bytes, rest])));
  });

  test('who asks on the other node stops the one who sends, and nothing that came is lost', async () => {
    const size = 3_000_000;
    const bytes = randomBytes(size);
    const { here, there, contentID } = await announce(size);
    const patch = openPatch(here, 0, size, bytes.subarray(0, 1_000_000));
    await waitFor(async () => expect(await holderOf(contentID)).not.toBeNull());
    const offset = await offsetOf(there);
    expect(offset).toBeGreaterThan(0);
    expect(offset).toBeLessThanOrEqual(1_000_000);
    // The one that was stopped still sends; its bytes count for nothing.
    patch.write(randomBytes(500_000));
    await tusUpload(there, bytes).done;
    patch.cut();
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
  });

  test('pieces on alternating nodes make one file', async () => {
    const bytes = randomBytes(1_000_003);
    const { here, there, contentID } = await announce(bytes.length);
    const cuts = [0, 1, 70_000, 70_001, 999_999, bytes.length];
    for (const [index, start] of cuts.slice(0, -1).entries()) {
      const answer = await patchUpload(index % 2 === 0 ? here : there, start, bytes.subarray(start, cuts[index + 1]));
      expect(answer.status).toBe(204);
    }
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
  });

  test('a holder that hangs until its lease is over changes nothing afterwards', async () => {
    const size = 200_000;
    const { there, contentID } = await announce(size);
    const lease = await first.app.get(UploadLeasesService, { strict: false }).acquire(contentID);
    const appending = first.app.get(UploadAppendService, { strict: false });
    const gate = Promise.withResolvers<void>();
    const sending = async function* () {
      yield randomBytes(50_000);
      await gate.promise;
      yield randomBytes(150_000);
    };
    const hanging = appending.append(lease, Readable.from(sending())).then(
      () => undefined,
      (error: unknown) => (error as ServiceError).reason,
    );
    await waitFor(async () => {
      const [row] = await first.unitOfWork.executor.query<{ state: string }>(
        'SELECT state FROM mcdisk.upload WHERE content_id = $1',
        [contentID],
      );
      expect(row?.state).toBe('RECEIVING');
    });
    await takeAway(contentID);
    const bytes = randomBytes(size);
    await tusUpload(there, bytes).done;
    gate.resolve();
    expect(['UPLOAD_LOCKED', 'UPLOAD_STATE', 'UPLOAD_OFFSET', 'STORE_UNAVAILABLE']).toContain(await hanging);
    await first.app.get(UploadLeasesService, { strict: false }).release(lease);
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
    expect(await first.sizesOf(cloudID)).toMatchObject({ usedSize: size, reservedSize: 0 });
  });

  test('after a lease that ran out the bytes that were noted are still there', async () => {
    const bytes = randomBytes(200_000);
    const { here, there, contentID } = await announce(bytes.length);
    await patchUpload(here, 0, bytes.subarray(0, 80_000));
    await takeAway(contentID);
    expect(await offsetOf(there)).toBe(80_000);
    await takeAway(contentID);
    expect((await patchUpload(there, 80_000, bytes.subarray(80_000))).status).toBe(204);
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
  });

  test('who only asked after a holder that hangs does not hide it from the next one', async () => {
    const bytes = randomBytes(200_000);
    const { here, there, contentID } = await announce(bytes.length);
    await patchUpload(here, 0, bytes.subarray(0, 80_000));
    await takeAway(contentID);
    const staged = join(first.dataDir, 'blobs', 'staging', await blobOf(contentID));
    // Open since before its lease ran out, and about to write.
    const hanging = await open(staged, 'r+');
    expect(await offsetOf(there)).toBe(80_000);
    expect((await patchUpload(there, 80_000, bytes.subarray(80_000, 150_000))).status).toBe(204);
    await hanging.write(randomBytes(50_000), 0, 50_000, 80_000);
    await hanging.close();
    expect((await patchUpload(there, 150_000, bytes.subarray(150_000))).status).toBe(204);
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
    expect(await holderOf(contentID)).toBeNull();
  });

  test('a hash of bytes that were never noted is not gone on with', async () => {
    const bytes = randomBytes(1_000);
    const { here, there, contentID } = await announce(bytes.length);
    await patchUpload(here, 0, bytes.subarray(0, 100));
    const leases = first.app.get(UploadLeasesService, { strict: false });
    const lease = await leases.acquire(contentID);
    await takeAway(contentID);
    const other = await second.app.get(UploadLeasesService, { strict: false }).acquire(contentID);
    const lost = first.app.get(UploadAppendService, { strict: false }).append(lease, Readable.from([randomBytes(300)]));
    await expect(lost).rejects.toMatchObject({ reason: 'UPLOAD_LOCKED' });
    await leases.release(lease);
    await second.app.get(UploadLeasesService, { strict: false }).release(other);
    expect((await patchUpload(there, 100, bytes.subarray(100, 400))).status).toBe(204);
    expect((await patchUpload(here, 400, bytes.subarray(400))).status).toBe(204);
    const [row] = await first.unitOfWork.executor.query<{ digest: string }>(
      'SELECT digest FROM mcdisk.content WHERE content_id = $1',
      [contentID],
    );
    expect(row?.digest).toBe(sha256(bytes));
  });

  test('a holder whose lease ran out is stopped by the next one in the same process', async () => {
    const { contentID } = await announce(10);
    const leases = first.app.get(UploadLeasesService, { strict: false });
    const before = await leases.acquire(contentID);
    await takeAway(contentID);
    const next = await leases.acquire(contentID);
    expect([before.signal.aborted, next.signal.aborted]).toEqual([true, false]);
    await leases.release(before);
    expect(await holderOf(contentID)).toBe(next.holder);
    await leases.release(next);
  });

  test('a file that the disk has lost begins anew', async () => {
    const bytes = randomBytes(1_000);
    const { here, there, contentID } = await announce(bytes.length);
    await patchUpload(here, 0, bytes.subarray(0, 500));
    await first.loseStaged();
    expect(await patchUpload(there, 500, bytes.subarray(500))).toMatchObject({ status: 409, reason: 'UPLOAD_OFFSET' });
    expect(await offsetOf(there)).toBe(0);
    expect((await patchUpload(here, 0, bytes)).status).toBe(204);
    expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
  });

  test('who does not stop in time makes the others wait no longer than they can bear', async () => {
    const { there, contentID } = await announce(10);
    await first.unitOfWork.executor.query(
      'UPDATE mcdisk.upload SET lock_holder = $2, lock_until = $3 WHERE content_id = $1',
      [contentID, randomUUID(), Date.now() + 60 * 60_000],
    );
    const answer = await patchUpload(there, 0, randomBytes(10));
    expect(answer).toMatchObject({ status: 423, reason: 'UPLOAD_LOCKED' });
    expect((await headUpload(there)).status).toBe(423);
  });

  /** As if the holder had died long ago. */
  async function takeAway(contentID: string): Promise<void> {
    await first.unitOfWork.executor.query(
      'UPDATE mcdisk.upload SET lock_holder = coalesce(lock_holder, $2), lock_until = 0 WHERE content_id = $1',
      [contentID, randomUUID()],
    );
  }
});
