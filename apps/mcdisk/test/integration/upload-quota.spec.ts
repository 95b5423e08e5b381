import { beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_CONTENTS_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/content';
import { outcomeOf, putBytes } from '../support/cloud-client.js';
import { NO_USAGE } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';

const MINUTE_MS = 60_000;

describe('upload quota', () => {
  let { server, cloudID, owner } = {} as TestCloud;
  beforeEach(async () => {
    ({ server, cloudID, owner } = await createCloud());
  });

  const sizes = () => server.findUsage(cloudID);
  const announce = (size: number) => owner.announceFile(cloudID, size);
  const announceOutcome = async (contentSize: number) =>
    outcomeOf(await owner.announce(cloudID, { contentName: 'x', contentSize }));

  test('reserves the quota of an announced upload, and rejects announcements that exceed the quota', async () => {
    await setDiskSize(10);
    await announce(6);
    expect(await announceOutcome(5)).toEqual([507, 'QUOTA_EXCEEDED']);
    await announce(4);
    expect(await sizes()).toEqual({ ...NO_USAGE, reservedSize: 10 });
  });

  test('concurrent announcements do not exceed the quota', async () => {
    await setDiskSize(10);
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => announceOutcome(3)));
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(3);
    expect((await sizes()).reservedSize).toBe(9);
  });

  test('contents in the recycle bin count towards the quota until they are purged', async () => {
    await setDiskSize(10);
    const contentID = await owner.uploadFile(cloudID, 'file', Buffer.alloc(6));
    await owner.delete(cloudID, [contentID]);
    expect(await announceOutcome(5)).toEqual([507, 'QUOTA_EXCEEDED']);
    expect(await sizes()).toEqual({ ...NO_USAGE, recycleSize: 6 });
    await owner.post('purgeContents', { cloudID, contentIDList: [contentID] });
    await announce(5);
    expect(await sizes()).toEqual({ ...NO_USAGE, reservedSize: 5 });
  });

  test('rejects files beyond the maximum size, regardless of the free space', async () => {
    expect(await announceOutcome(10 * 1024 ** 3)).toEqual([413, 'FILE_TOO_LARGE']);
    expect(await sizes()).toEqual(NO_USAGE);
  });

  test('empty files and open uploads count towards the maximum number of contents', async () => {
    await server.query('UPDATE mcdisk.family_cloud SET content_count = $2 WHERE cloud_id = $1', [
      cloudID,
      MAX_CONTENTS_PER_CLOUD - 2,
    ]);
    const { uploadURL, contentID } = await announce(0);
    await putBytes(uploadURL, Buffer.alloc(0));
    const { uploadTaskID } = await announce(0);
    expect(await announceOutcome(0)).toEqual([409, 'LIMIT_REACHED']);
    await owner.delete(cloudID, [contentID]);
    expect(await announceOutcome(0)).toEqual([409, 'LIMIT_REACHED']);
    await owner.post('abortUpload', { cloudID, uploadTaskID });
    expect(await announceOutcome(0)).toEqual([200, 'ok']);
  });

  test('purging succeeds for contents that an older version added without counting them', async () => {
    const resetCount = () =>
      server.query('UPDATE mcdisk.family_cloud SET content_count = 0 WHERE cloud_id = $1', [cloudID]);
    const { uploadURL, contentID } = await announce(4);
    await putBytes(uploadURL, Buffer.alloc(4));
    await announce(3);
    await resetCount();
    await server.uploadTermination.expire(Date.now() + 6 * MINUTE_MS);
    expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 4 });
    await owner.delete(cloudID, [contentID]);
    const { status } = await owner.post('purgeContents', { cloudID, contentIDList: [contentID] });
    expect([status, await sizes()]).toEqual([200, NO_USAGE]);
  });

  async function setDiskSize(bytes: number): Promise<void> {
    await server.query('UPDATE mcdisk.family_cloud SET disk_size = $2 WHERE cloud_id = $1', [cloudID, bytes]);
  }
});
