import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CloudMemberListDto, DiskInfoDto } from '@family-watch/domain/family-cloud/dto/family-cloud.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { createUser } from '../support/family.js';
import { seedContent } from '../support/seeded-cloud.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';

describe('queryDiskInfo and queryCloudMember', () => {
  let { server, family, cloudID } = {} as TestCloud;
  beforeAll(async () => {
    ({ server, family, cloudID } = await createCloud());
  });

  const as = (principal: Principal) => server.as(principal);
  const disk = async (principal: Principal, more: object = {}) =>
    (await as(principal)).post<DiskInfoDto>('queryDiskInfo', { cloudID, ...more });
  const members = async (principal: Principal, more: object = {}) =>
    (await as(principal)).post<CloudMemberListDto>('queryCloudMember', { cloudID, ...more });

  test('queryDiskInfo returns the usage after an upload, the announcement of an upload and a deletion', async () => {
    const owner = await as(family.owner);
    const { diskSize } = (await disk(family.owner)).body.data;
    const sizes = async () => (await disk(family.owner)).body.data;
    const file = await owner.uploadFile(cloudID, 'file', Buffer.alloc(30));
    await owner.announce(cloudID, { contentName: 'late', contentSize: 7 });
    expect(await sizes()).toEqual({ diskSize, usedSize: 30, reservedSize: 7, recycleSize: 0, freeSize: diskSize - 37 });
    await owner.delete(cloudID, [file]);
    expect(await sizes()).toEqual({ diskSize, usedSize: 0, reservedSize: 7, recycleSize: 30, freeSize: diskSize - 37 });
  });

  test('queryDiskInfo returns a freeSize of 0 for a cloud above its quota', async () => {
    const small = await createCloud();
    await seedContent(server, small.cloudID, { size: 30 });
    await server.query('UPDATE mcdisk.family_cloud SET disk_size = 10 WHERE cloud_id = $1', [small.cloudID]);
    const { data } = (await disk(small.family.owner, { cloudID: small.cloudID })).body;
    expect(data).toMatchObject({ usedSize: 30, freeSize: 0 });
  });

  test('queryDiskInfo accepts guardians, caregivers and watches, and rejects contacts and non-members', async () => {
    for (const principal of [family.guardian, family.caregiver, family.watches[0]!])
      expect((await disk(principal)).status).toBe(200);
    expect((await disk(family.contact)).body.reason).toBe('PERMISSION_MISSING');
    expect((await disk(createUser())).body.reason).toBe('CLOUD_NOT_FOUND');
  });

  test('queryCloudMember lists the members in stable pages', async () => {
    const all = (await members(family.caregiver)).body.data;
    expect(all.totalCount).toBe(6);
    expect(all.cloudMemberList.slice(0, 4)).toEqual([
      { userId: family.owner.id, did: null, role: 'OWNER' },
      { userId: family.guardian.id, did: null, role: 'MANAGER' },
      ...[family.caregiver.id, family.contact.id].toSorted().map((userId) => ({ userId, did: null, role: 'MEMBER' })),
    ]);
    expect(all.cloudMemberList.slice(4).map(({ userId, did, role }) => [userId, did, role])).toEqual(
      family.dids.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)).map((did) => [null, did, 'CHILD_DEVICE']),
    );
    const pages = [1, 2, 3, 4].map((pageNum) => members(family.owner, { pageInfo: { pageNum, pageSize: 2 } }));
    const found = (await Promise.all(pages)).map(({ body }) => body.data);
    expect(found.flatMap(({ cloudMemberList }) => cloudMemberList)).toEqual(all.cloudMemberList);
    expect(found.map(({ totalCount }) => totalCount)).toEqual([6, 6, 6, 6]);
    expect((await members(family.owner, { pageInfo: { pageSize: 201 } })).status).toBe(400);
  });

  test('queryCloudMember returns two members to a contact, and 404 to non-members', async () => {
    expect((await members(family.contact)).body.data.totalCount).toBe(2);
    expect((await members(createUser())).body.reason).toBe('CLOUD_NOT_FOUND');
  });

  test.each([{ cloudID: '' }, { cloudID: 7 }, { cloudType: 2 }, { catalogType: 1 }, { commonAccountInfo: 1 }])(
    'both operations return 400 for %j',
    async (wrong) => {
      expect([(await disk(family.owner, wrong)).status, (await members(family.owner, wrong)).status]).toEqual([
        400, 400,
      ]);
    },
  );
});
