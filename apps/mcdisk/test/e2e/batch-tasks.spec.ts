import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { ContentListDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import {
  createTask,
  COPY_TASK,
  DELETE_TASK,
  findTaskDetail,
  waitForTask,
  MOVE_TASK,
  runTask,
} from '../support/batch-tasks.js';
import type { CloudClient } from '../support/cloud-client.js';
import { addMember, createCloud, type TestCloud } from '../support/test-cloud.js';
import { seedContent, seedContents, expectUsageConsistent } from '../support/seeded-cloud.js';

describe('batch tasks', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;

  beforeEach(async () => {
    ({ server, family, cloudID, owner } = await createCloud());
  });

  const createFolder = (name: string, parent?: string) => owner.createFolder(cloudID, name, parent);

  async function listFolder(catalogID = '', client = owner): Promise<{ folders: string[]; contents: string[] }> {
    const { body, text } = await client.post<ContentListDto>('queryContentList', {
      cloudID,
      catalogID,
      pageInfo: { pageSize: 200 },
    });
    if (body.code !== 0) throw new Error(text);
    return {
      folders: body.data.cloudCatalogList.map((one) => one.catalogID),
      contents: body.data.cloudContentList.map(({ contentID }) => contentID).sort(),
    };
  }

  describe('deleting', () => {
    test('moves folders with all descendants to the recycle bin exactly once', async () => {
      const [top, other] = [await createFolder('top'), await createFolder('other')];
      const below = await createFolder('below', top);
      const deep = await seedContent(server, cloudID, { parentFolderId: below });
      const named = await seedContent(server, cloudID);
      const kept = await seedContent(server, cloudID, { parentFolderId: other });
      const task = await runTask(owner, cloudID, {
        taskType: DELETE_TASK,
        contentIDList: [named, deep, named],
        catalogIDList: [below, top],
      });
      expect(task).toMatchObject({ state: 'DONE', total: 4, done: 4, failed: 0, failureIDList: [] });
      expect(await listFolder()).toEqual({ folders: [other], contents: [] });
      expect((await listFolder(other)).contents).toEqual([kept]);
      expect((await owner.post('queryContentList', { cloudID, catalogID: below })).body.reason).toBe(
        'CATALOG_NOT_FOUND',
      );
      const bin = await owner.post<{ totalCount: number }>('queryRecycleList', { cloudID });
      expect(bin.body.data.totalCount).toBe(2);
      await expectUsageConsistent(server, cloudID);
      const again = { taskType: DELETE_TASK, contentIDList: [named], catalogIDList: [below, top] };
      expect(await runTask(owner, cloudID, again)).toMatchObject({ state: 'DONE', total: 3, done: 3 });
    });

    test('reports unknown, foreign and malformed ids as failed and deletes the other contents', async () => {
      const other = await createCloud(server);
      const foreign = await seedContent(server, other.cloudID);
      const [mine, unknown] = [await seedContent(server, cloudID), randomUUID()];
      const task = await runTask(owner, cloudID, {
        taskType: DELETE_TASK,
        contentIDList: ['../x', foreign, mine, 'a\u0000b'],
        catalogIDList: [unknown],
      });
      expect(task).toMatchObject({ state: 'DONE', total: 5, done: 1, failed: 4 });
      expect(task.failureIDList.toSorted()).toEqual(['../x', 'a\u0000b', foreign, unknown].toSorted());
      expect((await server.findSizes(other.cloudID)).usedSize).toBe(10);
    });

    test('keeps contents that the caller cannot see, and their folder', async () => {
      const [seenChild, hiddenChild] = family.cids;
      const childPermissions = { [hiddenChild]: [] };
      const uncle = await addMember({ server, family }, FAMILY_ROLE.GUARDIAN, { childPermissions });
      const parentFolderId = await createFolder('both');
      const [, hidden] = await seedContents(server, cloudID, [{ cid: seenChild }, { cid: hiddenChild }], {
        parentFolderId,
      });
      const request = { taskType: DELETE_TASK, catalogIDList: [parentFolderId] };
      const task = await runTask(uncle, cloudID, request);
      expect(task).toMatchObject({ total: 2, done: 1, failed: 1, failureIDList: [parentFolderId] });
      expect((await listFolder(parentFolderId)).contents).toEqual([hidden]);
    });
  });

  describe('copying', () => {
    test('copies refer to the same blobs, and their full size counts against the quota', async () => {
      const [source, dest] = [await createFolder('source'), await createFolder('dest')];
      const inner = await createFolder('inner', source);
      const [blobKey, otherKey] = [randomUUID(), randomUUID()];
      const content = await seedContent(server, cloudID, { parentFolderId: source, blobKey });
      await seedContent(server, cloudID, { parentFolderId: inner, blobKey: otherKey });
      const named = await seedContent(server, cloudID, { cid: family.cids[0] });
      const before = await server.findSizes(cloudID);
      const request = { taskType: COPY_TASK, contentIDList: [named], catalogIDList: [source], destCatalogID: dest };
      expect(await runTask(owner, cloudID, request)).toMatchObject({ state: 'DONE', total: 5, done: 5, failed: 0 });
      const copied = await listFolder(dest);
      expect([copied.folders.length, copied.contents.length]).toEqual([1, 1]);
      const copyOfSource = await listFolder(copied.folders[0]);
      expect([copyOfSource.folders.length, copyOfSource.contents.length]).toEqual([1, 1]);
      expect((await listFolder(copyOfSource.folders[0])).contents).toHaveLength(1);
      expect((await listFolder(source)).contents).toEqual([content]);
      expect((await server.findSizes(cloudID)).usedSize).toBe(before.usedSize + 30);
      await expectUsageConsistent(server, cloudID);
      const copies = await server.query<{ blob: string; cid: string | null }>(
        `SELECT blob_key AS blob, cid FROM mcdisk.content WHERE cloud_id = $1 AND uploader = $2`,
        [cloudID, `user:${family.owner.id}`],
      );
      expect(copies.map(({ cid }) => cid).filter((cid) => cid !== null)).toEqual([family.cids[0]]);
      expect(copies.map(({ blob }) => blob)).toEqual(expect.arrayContaining([blobKey, otherKey]));
    });

    test('copies a folder into itself once; a second copy of the folder and its descendants fails because the name exists', async () => {
      const source = await createFolder('source');
      await seedContent(server, cloudID, { parentFolderId: source });
      const request = { taskType: COPY_TASK, catalogIDList: [source], destPath: `root:/${source}` };
      expect(await runTask(owner, cloudID, request)).toMatchObject({ total: 2, done: 2, failed: 0 });
      const inside = await listFolder(source);
      expect([inside.folders.length, inside.contents.length]).toEqual([1, 1]);
      // After the first copy, the source has two folders and two contents, and its name exists in the destination.
      expect(await runTask(owner, cloudID, request)).toMatchObject({ state: 'DONE', total: 4, done: 0, failed: 4 });
      await expectUsageConsistent(server, cloudID);
    });

    test('keeps the copies that fit and reports the rest as failed when the quota is exceeded', async () => {
      const source = await createFolder('source');
      await seedContents(server, cloudID, 450, { parentFolderId: source });
      await server.query('UPDATE mcdisk.family_cloud SET disk_size = $2 WHERE cloud_id = $1', [cloudID, 4_500 + 2_500]);
      const dest = await createFolder('dest');
      const task = await runTask(owner, cloudID, { taskType: COPY_TASK, catalogIDList: [source], destCatalogID: dest });
      expect(task).toMatchObject({ state: 'DONE', total: 451, done: 201, failed: 250 });
      expect(task.failureIDList).toHaveLength(250);
      await expectUsageConsistent(server, cloudID);
    });

    test('copies only contents that the caller can see, also from a folder', async () => {
      const [visibleCid, hiddenCid] = family.cids;
      const childPermissions = { [hiddenCid]: [] };
      const caregiver = await addMember({ server, family }, FAMILY_ROLE.CAREGIVER, { childPermissions });
      const [source, dest] = [await createFolder('source'), await createFolder('dest')];
      await seedContent(server, cloudID, { parentFolderId: source, cid: visibleCid });
      await seedContent(server, cloudID, { parentFolderId: source, cid: hiddenCid });
      const hidden = await seedContent(server, cloudID, { cid: hiddenCid });
      const task = await runTask(caregiver, cloudID, {
        taskType: COPY_TASK,
        contentIDList: [hidden],
        catalogIDList: [source],
        destCatalogID: dest,
      });
      expect(task.failureIDList).toContain(hidden);
      const [copiedFolder = ''] = (await listFolder(dest)).folders;
      expect((await listFolder(dest)).contents).toEqual([]);
      expect((await listFolder(copiedFolder)).contents).toHaveLength(1);
    });
  });

  describe('moving', () => {
    test('moves a folder with all its descendants', async () => {
      const [source, dest] = [await createFolder('source'), await createFolder('dest')];
      const inner = await createFolder('inner', source);
      const deep = await seedContent(server, cloudID, { parentFolderId: inner });
      const named = await seedContent(server, cloudID);
      const request = {
        taskType: MOVE_TASK,
        contentIDList: [named, deep],
        catalogIDList: [source, inner],
        destCatalogID: dest,
      };
      expect(await runTask(owner, cloudID, request)).toMatchObject({ state: 'DONE', total: 4, done: 4, failed: 0 });
      expect(await listFolder(dest)).toEqual({ folders: [source], contents: [named] });
      expect(await listFolder(inner)).toEqual({ folders: [], contents: [deep] });
      await expectUsageConsistent(server, cloudID);
    });

    test('fails to move a folder into itself, into a descendant, or into a folder where its name exists', async () => {
      const [source, taken, other] = [
        await createFolder('source'),
        await createFolder('x'),
        await createFolder('other'),
      ];
      const inner = await createFolder('inner', source);
      await createFolder('x', inner);
      const request = { taskType: MOVE_TASK, catalogIDList: [source, taken, other], destCatalogID: inner };
      const task = await runTask(owner, cloudID, request);
      expect(task).toMatchObject({ total: 3, done: 1, failed: 2 });
      expect(task.failureIDList.toSorted()).toEqual([source, taken].toSorted());
      expect((await listFolder(inner)).folders).toContain(other);
    });

    test('moves for a caregiver only contents and folders that the caregiver created', async () => {
      const dest = await createFolder('dest');
      const mine = await seedContent(server, cloudID, { uploader: `user:${family.caregiver.id}` });
      const theirs = await seedContent(server, cloudID);
      const client = await server.as(family.caregiver);
      const request = {
        taskType: MOVE_TASK,
        contentIDList: [mine, theirs],
        catalogIDList: [await createFolder('x')],
        destCatalogID: dest,
      };
      expect(await runTask(client, cloudID, request)).toMatchObject({ total: 3, done: 1, failed: 2 });
      expect((await listFolder(dest)).contents).toEqual([mine]);
    });
  });

  test('returns a task only to its creator', async () => {
    const taskID = await createTask(owner, cloudID, { taskType: DELETE_TASK, contentIDList: [randomUUID()] });
    await waitForTask(owner, cloudID, taskID);
    const guardian = await server.as(family.guardian);
    const ask = (client: CloudClient, id: string) =>
      client.post('queryBatchOprTaskDetail', { cloudID, taskID: id }).then(({ body }) => body.reason);
    expect(await ask(guardian, taskID)).toBe('TASK_NOT_FOUND');
    expect(await ask(owner, randomUUID())).toBe('TASK_NOT_FOUND');
    expect(await ask(owner, '../x')).toBe('TASK_NOT_FOUND');
    expect((await findTaskDetail(owner, cloudID, taskID)).failed).toBe(1);
  });
});
