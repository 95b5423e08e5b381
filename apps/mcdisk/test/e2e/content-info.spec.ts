import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { ContentDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { outcomeOf, type CloudClient } from '../support/cloud-client.js';
import { seedContent } from '../support/seeded-cloud.js';
import { addMember, createCloud, type TestCloud } from '../support/test-cloud.js';

describe('content properties', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  /** A caregiver who may see the contents of the first child's watch, but not those of the second child's watch. */
  let firstOnly: CloudClient;

  beforeEach(async () => {
    ({ server, family, cloudID, owner } = await createCloud());
    const childPermissions = { [family.cids[0]]: ['CLOUD' as const] };
    firstOnly = await addMember({ server, family }, FAMILY_ROLE.CAREGIVER, { permissions: [], childPermissions });
  });

  const as = (principal: Principal) => server.as(principal);
  const query = (client: CloudClient, contentID: unknown, cloud = cloudID) =>
    client.post<ContentDto>('queryContentInfo', { cloudID: cloud, contentID });
  const modify = (client: CloudClient, contentID: unknown, changes: object) =>
    client.post<ContentDto>('modifyContentInfo', { cloudID, contentID, ...changes });
  const store = (client = owner, name = 'first day.jpg') => client.uploadFile(cloudID, name, Buffer.from('bytes'));

  describe('queryContentInfo', () => {
    test('returns all properties of a content', async () => {
      const contentID = await store();
      expect((await query(owner, contentID)).body).toEqual({
        code: 0,
        msg: 'ok',
        data: {
          contentID,
          contentName: 'first day.jpg',
          contentSize: 5,
          contentType: expect.any(Number),
          digest: expect.stringMatching(/^[0-9a-f]{64}$/),
          parentCatalogID: '',
          path: 'root:',
          uploader: `user:${family.owner.id}`,
          createTime: expect.any(Number),
          state: 'ACTIVE',
          lastUpdateTime: expect.any(Number),
          shottime: null,
          thumbnailURL: '',
        },
      });
    });

    test('returns the folder that contains the file', async () => {
      const top = await owner.createFolder(cloudID, 'Holidays');
      const parentFolderId = await owner.createFolder(cloudID, 'Holidays', top);
      const { data } = (await query(owner, await seedContent(server, cloudID, { parentFolderId }))).body;
      expect(data).toMatchObject({ parentCatalogID: parentFolderId, path: `root:/${top}/${parentFolderId}` });
    });

    test('returns the same response for unknown, deleted, foreign, malformed and invisible contents', async () => {
      const other = await createCloud(server);
      const foreign = await other.owner.uploadFile(other.cloudID, 'x', Buffer.from('x'));
      const [deleted, ofSecond] = [await store(), await store(await as(family.watches[1]!))];
      await owner.delete(cloudID, [deleted]);
      const answers = [
        ...(await Promise.all([randomUUID(), deleted, foreign, 'x', '../x'].map((id) => query(owner, id)))),
        await query(firstOnly, ofSecond),
        await query(await as(family.contact), await store()),
      ];
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(outcomeOf(answers[0]!)).toEqual([404, 'CONTENT_NOT_FOUND']);
      expect(outcomeOf(await query(other.owner, foreign, cloudID))).toEqual([404, 'CLOUD_NOT_FOUND']);
    });

    test.each(['', 7, null, {}, ['x'], 'x'.repeat(129)])('returns 400 for the content id %j', async (contentID) => {
      expect(outcomeOf(await query(owner, contentID))).toEqual([400, 'VALIDATION_FAILED']);
    });
  });

  describe('modifyContentInfo', () => {
    test('changes the given properties and no others', async () => {
      const contentID = await store();
      const before = (await query(owner, contentID)).body.data;
      const renamed = (await modify(owner, contentID, { contentName: 'beach.jpg' })).body.data;
      expect(renamed).toEqual({ ...before, contentName: 'beach.jpg', lastUpdateTime: expect.any(Number) });
      const dated = (await modify(owner, contentID, { shottime: 1_700_000_000_000 })).body.data;
      expect(dated).toEqual({ ...renamed, shottime: 1_700_000_000_000, lastUpdateTime: expect.any(Number) });
      expect((await modify(owner, contentID, {})).body.data).toEqual(dated);
      expect((await modify(owner, contentID, { shottime: null })).body.data).toMatchObject({ shottime: null });
      expect((await query(owner, contentID)).body.data).toMatchObject({ contentName: 'beach.jpg', shottime: null });
    });

    test('accepts changes by members with the right to delete and by the uploader', async () => {
      const caregiver = await as(family.caregiver);
      const [hers, ours] = [await store(caregiver), await store()];
      const change = { contentName: 'x' };
      expect(outcomeOf(await modify(caregiver, hers, change))).toEqual([200, 'ok']);
      expect(outcomeOf(await modify(caregiver, ours, change))).toEqual([403, 'PERMISSION_MISSING']);
      expect(outcomeOf(await modify(await as(family.guardian), hers, change))).toEqual([200, 'ok']);
    });

    test('returns CONTENT_NOT_FOUND for contents that are not visible', async () => {
      const [first, second] = [await store(await as(family.watches[0]!)), await store(await as(family.watches[1]!))];
      const change = { contentName: 'x' };
      expect(outcomeOf(await modify(firstOnly, first, change))).toEqual([403, 'PERMISSION_MISSING']);
      expect(outcomeOf(await modify(firstOnly, second, change))).toEqual([404, 'CONTENT_NOT_FOUND']);
      expect(outcomeOf(await modify(await as(family.contact), first, change))).toEqual([404, 'CONTENT_NOT_FOUND']);
      await owner.delete(cloudID, [first]);
      expect(outcomeOf(await modify(owner, first, change))).toEqual([404, 'CONTENT_NOT_FOUND']);
    });

    test.each([
      { shottime: -1 },
      { shottime: '1700000000000' },
      { shottime: 1.5 },
      { shottime: 8_640_000_000_000_001 },
    ])('returns 400 for the changes %j', async (changes) => {
      expect(outcomeOf(await modify(owner, await store(), changes))).toEqual([400, 'VALIDATION_FAILED']);
    });
  });
});
