import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DEFAULT_QUOTA_BYTES } from '@family-watch/domain/family-cloud/contracts/content';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';

describe('the paid quota of a family cloud', () => {
  let server: CloudServer;
  let family: ReturnType<typeof sampleFamily>;

  beforeAll(async () => {
    server = await CloudServer.getShared();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    family = sampleFamily();
  });

  async function publish(version: number, cloudBytes: number, familyId = family.cloudID): Promise<void> {
    const payload = { familyId, version, cloudBytes, watchPlanCids: [], time: Date.now() };
    await server.publish('userctx', { name: 'userctx.entitlement.changed', key: familyId, payload });
  }

  async function diskSize(cloudId = family.cloudID): Promise<number | undefined> {
    const [cloud] = await server.query<{ size: number }>(
      'SELECT disk_size AS size FROM mcdisk.family_cloud WHERE cloud_id = $1',
      [cloudId],
    );
    return cloud?.size;
  }

  test('is added to the size that every cloud has, and an older or repeated event changes nothing', async () => {
    await server.publishFamily(family.snapshot);
    const sizes = [];
    for (const [version, cloudBytes] of [
      [2, 500],
      [1, 100],
      [2, 700],
      [3, 0],
      [2, 500],
    ] as const) {
      await publish(version, cloudBytes);
      sizes.push((await diskSize()) ?? 0);
    }
    expect(sizes.map((size) => size - DEFAULT_QUOTA_BYTES)).toEqual([500, 500, 500, 0, 0]);
  });

  test('is kept when the event arrives before the family', async () => {
    await publish(1, 500);
    await server.publishFamily(family.snapshot);
    expect(await diskSize()).toBe(DEFAULT_QUOTA_BYTES + 500);
  });

  test('does not create the cloud of a deleted family again when it ends', async () => {
    const familyId = randomUUID();
    await publish(2, 0, familyId);
    expect(await diskSize(familyId)).toBeUndefined();
  });

  test('rejects uploads that do not fit after it has ended, and keeps all files readable', async () => {
    await server.publishFamily(family.snapshot);
    await publish(1, 500);
    const owner = await server.as(family.owner);
    const contentID = await owner.uploadFile(family.cloudID, 'file', Buffer.alloc(30));
    await server.query('UPDATE mcdisk.family_cloud SET used_size = $2 WHERE cloud_id = $1', [
      family.cloudID,
      DEFAULT_QUOTA_BYTES + 100,
    ]);
    await publish(2, 0);
    const late = await owner.announce(family.cloudID, { contentName: 'late', contentSize: 1 });
    expect([late.status, late.body.reason]).toEqual([507, 'QUOTA_EXCEEDED']);
    const { status } = await owner.post('getFileDownLoadURL', { cloudID: family.cloudID, contentID });
    expect(status).toBe(200);
    await server.query('UPDATE mcdisk.family_cloud SET used_size = 30 WHERE cloud_id = $1', [family.cloudID]);
  });
});
