import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type {
  PurgeContentsResultDto,
  RecycleListDto,
  RestoreContentsResultDto,
} from '@family-watch/domain/family-cloud/dto/recycle-bin.dto';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { outcomeOf, type CloudClient } from '../support/cloud-client.js';
import { addMember, createCloud, type TestCloud } from '../support/test-cloud.js';
import { expectUsageConsistent, seedContent, seedContents, findStates } from '../support/seeded-cloud.js';

const EMPTY_BIN = { totalCount: 0, contentList: [] };
const DAY_MS = 24 * 60 * 60 * 1_000;

describe('recycle bin', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  let guardian: CloudClient;

  beforeEach(async () => {
    ({ server, family, cloudID, owner } = await createCloud());
    guardian = await server.as(family.guardian);
  });
  const expectState = async (ids: readonly string[], state: string) =>
    expect(await findStates(server, ids)).toEqual(new Map(ids.map((id) => [id, state])));
  const expectQuotaRight = () => expectUsageConsistent(server, cloudID);

  const binOf = async (client: CloudClient, more: object = {}, cloud = cloudID) =>
    (await client.post<RecycleListDto>('queryRecycleList', { cloudID: cloud, ...more })).body.data;
  const restore = (client: CloudClient, contentIDList: unknown, cloud = cloudID) =>
    client.post<RestoreContentsResultDto>('restoreContents', { cloudID: cloud, contentIDList });
  const purge = (client: CloudClient, more: object, cloud = cloudID) =>
    client.post<PurgeContentsResultDto>('purgeContents', { cloudID: cloud, ...more });
  const eventsOf = (name: string) =>
    server.query<{ payload: { contentIDs: string[]; by: string | null } }>(
      'SELECT payload FROM mcdisk.outbox WHERE name = $1 AND key = $2 ORDER BY position',
      [name, cloudID],
    );

  test('lists deleted contents in pages, last deleted first, with the time until they are purged', async () => {
    const ids = await seedContents(server, cloudID, 5);
    for (const id of ids) await owner.delete(cloudID, [id]);
    const { totalCount, contentList } = await binOf(owner);
    expect(totalCount).toBe(5);
    expect(new Set(contentList.map(({ contentID }) => contentID))).toEqual(new Set(ids));
    const times = contentList.map(({ recycleTime }) => recycleTime);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    for (const content of contentList) {
      expect(content).toMatchObject({ state: 'RECYCLED', path: 'root:', contentSize: 10, thumbnailURL: '' });
      expect(content.purgeTime - content.recycleTime).toBe(30 * DAY_MS);
    }
    const pages = await Promise.all([1, 2, 3].map((pageNum) => binOf(owner, { pageInfo: { pageNum, pageSize: 2 } })));
    expect(pages.flatMap((page) => page.contentList)).toEqual(contentList);
  });

  test('restores contents once, returns ids in request order and updates the usage', async () => {
    const [back, active, gone, foreign] = [
      await owner.uploadFile(cloudID, 'back', Buffer.from('back')),
      ...(await seedContents(server, cloudID, 2)),
      randomUUID(),
    ] as const;
    await owner.delete(cloudID, [back, gone]);
    await purge(owner, { contentIDList: [gone] });
    const ids = [foreign, back, gone, active, 'malformed', back, '', back.toUpperCase()];
    for (let time = 0; time < 2; time += 1) {
      const answer = await restore(owner, ids);
      expect([answer.status, answer.body.data]).toEqual([
        200,
        {
          restoreContIDList: [back, active],
          failureContIDList: [foreign, gone, 'malformed', ''],
        },
      ]);
    }
    await expectQuotaRight();
    expect((await binOf(owner)).totalCount).toBe(0);
    expect(await owner.listIds(cloudID)).toContain(back);
    expect(String(await owner.download(cloudID, back))).toBe('back');
    const by = `user:${family.owner.id}`;
    expect((await eventsOf('mcdisk.content.restored')).map(({ payload }) => payload)).toEqual([
      { cloudID, contentIDs: [back], by },
    ]);
    const [row] = await server.query('SELECT recycled_at, purge_at FROM mcdisk.content WHERE content_id = $1', [back]);
    expect(row).toEqual({ recycled_at: null, purge_at: null });
  });

  test('restores contents to their former folders and recreates deleted folders', async () => {
    const holidays = await owner.createFolder(cloudID, 'holidays');
    const sea = await owner.createFolder(cloudID, 'sea', holidays);
    const folders = [{ parentFolderId: sea }, { parentFolderId: holidays }, {}];
    const all = await seedContents(server, cloudID, folders);
    const [inSea, inHolidays, inRoot] = all;
    await owner.delete(cloudID, all);
    expect((await binOf(owner)).contentList.map(({ path }) => path).toSorted()).toEqual(
      ['root:', `root:/${holidays}`, `root:/${holidays}/${sea}`].toSorted(),
    );
    await server.query(`UPDATE mcdisk.catalog SET state = 'DELETED' WHERE cloud_id = $1`, [cloudID]);
    expect((await restore(owner, all)).body.data.restoreContIDList).toEqual(all);
    const listed = await Promise.all(['', holidays, sea].map((catalogID) => owner.listIds(cloudID, { catalogID })));
    expect(listed).toEqual([[inRoot], [inHolidays], [inSea]]);
    await expectQuotaRight();
  });

  test('purging clears the properties of a content and condemns its blob when no content refers to it', async () => {
    const [first, second] = (await seedContents(server, cloudID, 2, {}, 2)) as [string, string];
    await owner.delete(cloudID, [first, second]);
    const blobs = async () =>
      (await server.query<{ state: string }>('SELECT state FROM mcdisk.blob WHERE cloud_id = $1', [cloudID])).map(
        ({ state }) => state,
      );
    expect((await purge(owner, { contentIDList: [first] })).body.data).toEqual({
      purgeContIDList: [first],
      failureContIDList: [],
      purging: 0,
    });
    expect(await blobs()).toEqual(['LIVE']);
    await purge(owner, { contentIDList: [first, second] });
    expect(await blobs()).toEqual(['CONDEMNED']);
    await expectQuotaRight();
    const rows = await server.query('SELECT state, name, digest, blob_key FROM mcdisk.content WHERE cloud_id = $1', [
      cloudID,
    ]);
    expect(rows).toEqual([1, 2].map(() => ({ state: 'PURGED', name: '', digest: '', blob_key: null })));
    const events = await eventsOf('mcdisk.content.purged');
    expect(events.map(({ payload }) => payload.contentIDs)).toEqual([[first], [second]]);
    expect((await owner.delete(cloudID, [first])).body.data.deleteContIDList).toEqual([first]);
  });

  test('purges a content that was locked while its recycle bin was emptied, once it is unlocked', async () => {
    const [free = '', locked = ''] = await seedContents(server, cloudID, 2, { state: 'RECYCLED' });
    const isPurged = async (id: string) => (await findStates(server, [id])).get(id) === 'PURGED';
    await server.withLockedRow('content', 'content_id', locked, async () => {
      await purge(owner, { all: true });
      await waitUntil('the other content to be purged', () => isPurged(free));
      expect(await isPurged(locked)).toBe(false);
    });
    await waitUntil('the content to be purged', () => isPurged(locked));
    await expectQuotaRight();
  });

  test('does not purge contents outside the recycle bin', async () => {
    const active = await seedContent(server, cloudID);
    const ids = [active, randomUUID(), 'malformed', ''];
    expect((await purge(owner, { contentIDList: ids })).body.data).toMatchObject({ failureContIDList: ids });
    await expectState([active], 'ACTIVE');
  });

  describe('permissions', () => {
    test('guardians list and restore contents; only the owner purges them', async () => {
      const ids = await seedContents(server, cloudID, 2, { state: 'RECYCLED' });
      expect((await binOf(guardian)).totalCount).toBe(2);
      for (const request of [{ contentIDList: ids }, { all: true }]) {
        expect(outcomeOf(await purge(guardian, request))).toEqual([403, 'PERMISSION_MISSING']);
      }
      expect((await restore(guardian, ids)).body.data.restoreContIDList).toEqual(ids);
    });

    test.each(['caregiver', 'contact'] as const)('a %s can neither list, restore nor purge contents', async (role) => {
      const ids = await seedContents(server, cloudID, 2, { state: 'RECYCLED' });
      const client = await server.as(family[role]);
      expect(await binOf(client)).toEqual(EMPTY_BIN);
      expect((await restore(client, ids)).body.data).toEqual({ restoreContIDList: [], failureContIDList: ids });
      expect((await purge(client, { contentIDList: ids })).status).toBe(403);
      await expectState(ids, 'RECYCLED');
    });

    test('returns 403 to a watch for list, restore and purge', async () => {
      const ids = await seedContents(server, cloudID, 1, { state: 'RECYCLED' });
      const child = await server.as(family.watches[0]!);
      const answers = [
        await child.post('queryRecycleList', { cloudID }),
        await restore(child, ids),
        await purge(child, { contentIDList: ids }),
      ];
      expect(answers.map(({ status, body }) => [status, body.reason])).toEqual(answers.map(() => [403, 'FORBIDDEN']));
    });

    test('a member without permission for a child cannot list or restore the contents of the child', async () => {
      const [seenCid, hiddenCid] = family.cids;
      const childPermissions = { [hiddenCid]: [] };
      const client = await addMember({ server, family }, FAMILY_ROLE.GUARDIAN, { childPermissions });
      const contents = [{ cid: seenCid }, { cid: hiddenCid }];
      const [seen, hidden] = await seedContents(server, cloudID, contents, { state: 'RECYCLED' });
      const { totalCount, contentList } = await binOf(client);
      expect([totalCount, contentList.map(({ contentID }) => contentID)]).toEqual([1, [seen]]);
      expect((await restore(client, [hidden, seen])).body.data).toEqual({
        restoreContIDList: [seen],
        failureContIDList: [hidden],
      });
    });

    test('returns CLOUD_NOT_FOUND for another family’s recycle bin', async () => {
      const ids = await seedContents(server, cloudID, 1, { state: 'RECYCLED' });
      const { owner: stranger, ...other } = await createCloud(server);
      for (const cloud of [cloudID, randomUUID(), '\ufffd']) {
        const answers = [
          await stranger.post('queryRecycleList', { cloudID: cloud }),
          await restore(stranger, ids, cloud),
          await purge(stranger, { contentIDList: ids }, cloud),
          await purge(stranger, { all: true }, cloud),
        ];
        expect(answers.map(({ body }) => body.reason)).toEqual(answers.map(() => 'CLOUD_NOT_FOUND'));
      }
      expect((await restore(stranger, ids, other.cloudID)).body.data.failureContIDList).toEqual(ids);
      expect((await purge(stranger, { contentIDList: ids }, other.cloudID)).body.data.failureContIDList).toEqual(ids);
      expect(await binOf(stranger, {}, other.cloudID)).toEqual(EMPTY_BIN);
      await expectState(ids, 'RECYCLED');
    });
  });

  describe('invalid requests', () => {
    const tooMany = Array.from({ length: 1_001 }, () => 'x');
    const badLists = [undefined, null, 'x', [], [1], [null], [['x']], { 0: 'x' }, tooMany];

    test.each(badLists.map((contentIDList) => ({ contentIDList })))(
      'restoreContents returns 400 for invalid list number %#',
      async ({ contentIDList }) => {
        expect(outcomeOf(await restore(owner, contentIDList))).toEqual([400, 'VALIDATION_FAILED']);
      },
    );

    test.each([
      {},
      { all: false },
      { all: 'true' },
      { all: 1 },
      { all: null },
      { contentIDList: ['x'], all: true },
      ...badLists.filter((list) => list !== undefined).map((contentIDList) => ({ contentIDList })),
    ])('purgeContents returns 400 and changes nothing for invalid request number %#', async (request) => {
      const ids = await seedContents(server, cloudID, 1, { state: 'RECYCLED' });
      expect(outcomeOf(await purge(owner, request))).toEqual([400, 'VALIDATION_FAILED']);
      await expectState(ids, 'RECYCLED');
    });

    test.each([
      { pageInfo: { pageNum: 0 } },
      { pageInfo: { pageSize: 201 } },
      { pageInfo: { pageNum: '1' } },
      { pageInfo: [] },
      { cloudID: '' },
      { cloudID: 'x'.repeat(129) },
      { cloudID: 1 },
    ])('queryRecycleList returns 400 for %j', async (request) => {
      expect(outcomeOf(await owner.post('queryRecycleList', { cloudID, ...request }))).toEqual([
        400,
        'VALIDATION_FAILED',
      ]);
    });

    test.each(['queryRecycleList', 'restoreContents', 'purgeContents'])(
      '%s returns CLOUD_TYPE_UNSUPPORTED for an unsupported cloud type',
      async (name) => {
        expect(outcomeOf(await owner.post(name, { cloudID, contentIDList: ['x'], cloudType: 2 }))).toEqual([
          400,
          'CLOUD_TYPE_UNSUPPORTED',
        ]);
      },
    );
  });

  test.each(['restoreContents', 'purgeContents'])(
    '%s returns 503 and changes nothing when the database fails',
    async (name) => {
      const ids = (await seedContents(server, cloudID, 2, { state: 'RECYCLED' })) as [string, string];
      const before = await server.findSizes(cloudID);
      // The transaction locks the row of the cloud last, so its failure must roll back all earlier changes.
      await server.withLockedRow('family_cloud', 'cloud_id', cloudID, async () => {
        const answer = await owner.post(name, { cloudID, contentIDList: ids });
        expect([answer.status, answer.body.reason, answer.body.data]).toEqual([503, 'DATABASE_UNAVAILABLE', null]);
      });
      await expectState(ids, 'RECYCLED');
      expect(await server.findSizes(cloudID)).toEqual(before);
      const blobs = await server.query('SELECT DISTINCT state FROM mcdisk.blob WHERE cloud_id = $1', [cloudID]);
      expect(blobs).toEqual([{ state: 'LIVE' }]);
    },
  );
});
