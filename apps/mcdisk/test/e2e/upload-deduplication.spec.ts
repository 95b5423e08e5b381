import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import { NO_USAGE } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { patchUpload } from '../support/tus-requests.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('upload deduplication', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  beforeEach(async () => {
    ({ server, family, cloudID, owner } = await createCloud());
  });

  const sizes = () => server.findUsage(cloudID);

  const announce = (size: number, digest?: string) => owner.announceFile(cloudID, size, digest);

  const readBack = (contentID: string) => owner.download(cloudID, contentID);

  const BYTES = Buffer.from('the same picture');
  const known = { contentName: 'again.jpg', contentSize: BYTES.length, digest: sha256(BYTES) };
  const keysOf = async (...contentIDs: string[]) => {
    const rows = await server.query<{ key: string }>(
      'SELECT blob_key AS key FROM mcdisk.content WHERE content_id = ANY($1::uuid[])',
      [contentIDs],
    );
    return new Set(rows.map(({ key }) => key));
  };

  test('requires no upload of bytes that the caller can already see in the cloud', async () => {
    const first = await owner.uploadFile(cloudID, 'first.jpg', BYTES);
    const { body } = await owner.announce(cloudID, known, { ...known, contentSize: 5 });
    const [again, other] = body.data.uploadResult.newContentIDList;
    expect(again).toMatchObject({ isNeedUpload: false, uploadURL: '', tusURL: '' });
    expect(other?.isNeedUpload).toBe(true);
    expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 2 * BYTES.length, reservedSize: 5 });
    expect((await readBack(again!.contentID)).equals(BYTES)).toBe(true);
    expect((await keysOf(first, again!.contentID)).size).toBe(1);
  });

  test('completeUpload returns a receipt for bytes that required no upload', async () => {
    await owner.uploadFile(cloudID, 'first.jpg', BYTES);
    const { uploadTaskID } = await announce(BYTES.length, known.digest);
    expect(await owner.completeUpload(cloudID, uploadTaskID)).toMatchObject([
      { digest: known.digest, contentSize: BYTES.length },
    ]);
  });

  test('requires the upload of bytes that are deleted, in another cloud or not visible to the caller', async () => {
    const deleted = await owner.uploadFile(cloudID, 'first.jpg', BYTES);
    await owner.delete(cloudID, [deleted]);
    expect((await announce(BYTES.length, known.digest)).isNeedUpload).toBe(true);
    const child = await server.as(family.watches[0]!);
    await child.uploadFile(cloudID, 'of-the-child.jpg', BYTES);
    const [keptOut] = family.snapshot.members.filter(({ userId }) => userId === family.guardian.id);
    const members = [
      ...family.snapshot.members.filter((member) => member !== keptOut),
      { ...keptOut!, childPermissions: { [family.cids[0]]: [] } },
    ];
    await server.publishFamily({ ...family.snapshot, version: 2, members });
    const guardian = await server.as(family.guardian);
    const { body } = await guardian.announce(cloudID, known);
    expect(body.data.uploadResult.newContentIDList[0]?.isNeedUpload).toBe(true);
    const { owner: stranger, ...other } = await createCloud(server);
    const foreign = await stranger.announce(other.cloudID, known);
    expect(foreign.body.data.uploadResult.newContentIDList[0]?.isNeedUpload).toBe(true);
  });

  test('stores equal bytes once for PUT and tus uploads, and makes a condemned blob live again', async () => {
    const first = await owner.uploadFile(cloudID, 'first.jpg', BYTES);
    await server.query(
      `UPDATE mcdisk.blob SET state = 'CONDEMNED' WHERE blob_key IN (SELECT blob_key FROM mcdisk.content WHERE content_id = $1)`,
      [first],
    );
    const second = await owner.uploadFile(cloudID, 'second.jpg', BYTES);
    const { tusURL, contentID: third } = await announce(BYTES.length);
    await patchUpload(tusURL, 0, BYTES);
    expect((await keysOf(first, second, third)).size).toBe(1);
    const states = await server.query<{ state: string }>(
      `SELECT state FROM mcdisk.blob WHERE cloud_id = $1 AND state IN ('STAGED', 'LIVE', 'CONDEMNED')`,
      [cloudID],
    );
    expect(states).toEqual([{ state: 'LIVE' }]);
    expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 3 * BYTES.length });
  });

  test.each([16, 2_000_000])(
    'all contents with %i lost bytes are readable again after a new upload of the bytes',
    async (size) => {
      const store = server.get(BlobStore);
      const bytes = randomBytes(size);
      const before = await owner.uploadFile(cloudID, 'before.jpg', bytes);
      for (const key of await keysOf(before)) await store.discard(key);
      const file = { contentName: 'again.jpg', contentSize: bytes.length, digest: sha256(bytes) };
      const { body } = await owner.announce(cloudID, file, file);
      const [first, second] = body.data.uploadResult.newContentIDList;
      expect([first!.isNeedUpload, second!.isNeedUpload]).toEqual([true, true]);
      expect((await fetch(first!.uploadURL, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
      expect((await patchUpload(second!.tusURL, 0, bytes)).status).toBe(204);
      expect((await announce(bytes.length, sha256(bytes))).isNeedUpload).toBe(false);
      const all = [before, first!.contentID, second!.contentID];
      for (const contentID of all) expect((await readBack(contentID)).equals(bytes)).toBe(true);
      expect((await keysOf(...all)).size).toBe(1);
      expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 4 * bytes.length });
    },
  );

  test('all contents of concurrent uploads of equal bytes are readable', async () => {
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, index) => owner.uploadFile(cloudID, `${index}.jpg`, BYTES)),
    );
    for (const id of ids) expect((await readBack(id)).equals(BYTES)).toBe(true);
    expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 12 * BYTES.length });
    expect((await keysOf(...ids)).size).toBeLessThan(12);
  });
});
