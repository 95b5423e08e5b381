import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DEFAULT_QUOTA_BYTES } from '@family-watch/domain/family-cloud/contracts/content';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily, type SampleFamily } from '../support/family.js';

describe('the paid quota of a family cloud', () => {
  let server: CloudServer;
  let family: SampleFamily;

  beforeAll(async () => {
    server = await CloudServer.getShared();
  });
  beforeEach(() => {
    family = sampleFamily();
  });

  async function publish(version: number, cloudBytes: number, familyId = family.cloudID): Promise<void> {
    const payload = { familyId, version, cloudBytes, watchPlanCids: [], time: Date.now() };
    await server.publish('userctx', { name: 'userctx.entitlement.changed', key: familyId, payload });
  }

  const diskSize = async () => (await server.findSizes(family.cloudID)).diskSize;

  test('is added to the size that every cloud has, and an older or repeated event changes nothing', async () => {
    await server.publishFamily(family.snapshot);
    const sizes: number[] = [];
    for (const [version, cloudBytes] of [
      [2, 500],
      [1, 100],
      [2, 700],
      [3, 0],
      [2, 500],
    ] as const) {
      await publish(version, cloudBytes);
      sizes.push(await diskSize());
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
    await expect(server.findSizes(familyId)).rejects.toThrow('Cloud not found');
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
