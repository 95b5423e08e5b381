import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_OPEN_BATCH_TASKS_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/batch-task';
import type { BatchRunnerService } from '../../src/contexts/batch-tasks/batch-runner.service.js';
import { BatchTaskRetentionJob } from '../../src/contexts/batch-tasks/batch-task-retention.job.js';
import { begin, COPY, DELETE, detail, MOVE, stopJob } from '../support/batch-tasks.js';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import type { SampleFamily } from '../support/family.js';
import { seedContent, seedContents, sumsOf } from '../support/seeded-cloud.js';

const WEEK_MS = 7 * 24 * 60 * 60_000;

// Uses a separate server, because the suite stops the job that processes batch tasks.
describe('batch tasks: rejections and interruptions', () => {
  let server: CloudServer;
  let runner: BatchRunnerService;
  let family: SampleFamily;
  let owner: CloudClient;
  let cloudID: string;

  beforeAll(async () => {
    server = await CloudServer.start();
    runner = await stopJob(server);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
    owner = await CloudClient.of(server, family.owner);
  });

  async function workThrough(): Promise<void> {
    while (await runner.runNext());
  }

  const create = (client: CloudClient, body: object) => client.post('createBatchOprTask', { cloudID, ...body });

  describe('invalid requests', () => {
    const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
    test.each<[string, object]>([
      ['a task without items', { taskType: DELETE }],
      ['a task with empty lists', { taskType: DELETE, contentIDList: [], catalogIDList: [] }],
      ['a task without a type', { contentIDList: ['x'] }],
      ['an unknown type', { taskType: 4, contentIDList: ['x'] }],
      ['a type that is a string', { taskType: '2', contentIDList: ['x'] }],
      ['a list that is not an array', { taskType: DELETE, contentIDList: 'x' }],
      ['null as a list', { taskType: DELETE, contentIDList: null }],
      ['ids that are not strings', { taskType: DELETE, contentIDList: [7] }],
      ['a list of 1,001 ids', { taskType: DELETE, contentIDList: ids(1_001) }],
      ['two lists with 1,001 ids together', { taskType: DELETE, contentIDList: ids(600), catalogIDList: ids(401) }],
      ['an id of 129 characters', { taskType: DELETE, contentIDList: ['x'.repeat(129)] }],
      ['a copy without a destination', { taskType: COPY, contentIDList: ['x'] }],
      ['a move without a destination', { taskType: MOVE, catalogIDList: ['x'] }],
      ['a deletion with a destination', { taskType: DELETE, contentIDList: ['x'], destCatalogID: randomUUID() }],
      ['a deletion with a path', { taskType: DELETE, contentIDList: ['x'], destPath: 'root:' }],
      ['a destination id of 129 characters', { taskType: MOVE, contentIDList: ['x'], destCatalogID: 'x'.repeat(129) }],
    ])('rejects %s', async (_, body) => {
      const answer = await create(owner, body);
      expect([answer.status, answer.body.reason]).toEqual([400, 'VALIDATION_FAILED']);
    });

    test.each([
      ['an unknown folder', { destCatalogID: randomUUID() }],
      ['a malformed id', { destCatalogID: '../..' }],
      ['a malformed path', { destPath: '/etc' }],
      ['an unknown path', { destPath: `root:/${randomUUID()}` }],
      ['an id and a path of different folders', { destCatalogID: randomUUID(), destPath: 'root:' }],
    ])('returns CATALOG_NOT_FOUND for %s as destination', async (_, dest) => {
      const answer = await create(owner, { taskType: COPY, contentIDList: [randomUUID()], ...dest });
      expect([answer.status, answer.body.reason]).toEqual([404, 'CATALOG_NOT_FOUND']);
    });

    test('returns CATALOG_NOT_FOUND for a destination in another family', async () => {
      const other = sampleFamily();
      await server.familyChanged(other.snapshot);
      const stranger = await CloudClient.of(server, other.owner);
      const made = await stranger.post<{ catalogID: string }>('createCloudDoc', {
        cloudID: other.cloudID,
        catalogName: 'theirs',
      });
      const body = { taskType: MOVE, contentIDList: [randomUUID()], destCatalogID: made.body.data.catalogID };
      expect((await create(owner, body)).body.reason).toBe('CATALOG_NOT_FOUND');
    });
  });

  test('rejects deletions by a caregiver, and copies and moves by a contact', async () => {
    const [caregiver, contact] = [
      await CloudClient.of(server, family.caregiver),
      await CloudClient.of(server, family.contact),
    ];
    const named = { contentIDList: [randomUUID()] };
    expect((await create(caregiver, { taskType: DELETE, ...named })).body.reason).toBe('PERMISSION_MISSING');
    for (const taskType of [COPY, MOVE]) {
      const answer = await create(contact, { taskType, ...named, destCatalogID: '' });
      expect(answer.body.reason).toBe('PERMISSION_MISSING');
    }
  });

  test('limits the number of open tasks of a cloud, also under concurrent requests', async () => {
    const body = { taskType: DELETE, contentIDList: [randomUUID()] };
    const answers = await Promise.all(
      Array.from({ length: MAX_OPEN_BATCH_TASKS_PER_CLOUD + 3 }, () => create(owner, body)),
    );
    expect(answers.filter(({ body: { code } }) => code === 0)).toHaveLength(MAX_OPEN_BATCH_TASKS_PER_CLOUD);
    expect(answers.filter(({ body: { reason } }) => reason === 'LIMIT_REACHED')).toHaveLength(3);
    await workThrough();
    expect((await create(owner, body)).body.code).toBe(0);
    await workThrough();
  });

  test('creates one task when a request is repeated with its idempotency key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const body = { cloudID, taskType: DELETE, contentIDList: [randomUUID()] };
    const [first, second] = [
      await owner.post('createBatchOprTask', body, key),
      await owner.post('createBatchOprTask', body, key),
    ];
    expect(second.body.data).toEqual(first.body.data);
    await workThrough();
  });

  test('cancels a running task when its creator is removed from the family', async () => {
    const guardian = await CloudClient.of(server, family.guardian);
    const seeded = await seedContents(
      server,
      cloudID,
      Array.from({ length: 450 }, () => ({})),
    );
    const contentIDList = seeded.map(({ contentId }) => contentId);
    const taskID = await begin(guardian, cloudID, { taskType: DELETE, contentIDList });
    // The first turn plans the task, the second deletes the first 200 contents.
    for (let turn = 0; turn < 2; turn += 1) await runner.runNext();
    expect(await detail(guardian, cloudID, taskID)).toMatchObject({ state: 'RUNNING', total: 450, done: 200 });
    const members = family.snapshot.members.filter(({ userId }) => userId !== family.guardian.id);
    await server.familyChanged({ ...family.snapshot, version: 2, members });
    await workThrough();
    await server.familyChanged({ ...family.snapshot, version: 3 });
    const task = await detail(guardian, cloudID, taskID);
    expect(task).toMatchObject({ state: 'CANCELLED', done: 200, failed: 0 });
    expect(task.finishTime).not.toBeNull();
    expect((await owner.list(cloudID)).totalCount).toBe(250);
    expect(await server.sizesOf(cloudID)).toMatchObject(await sumsOf(server, cloudID));
  });

  test('moves and copies fail and lose no contents when the destination is deleted before they run', async () => {
    const made = await owner.post<{ catalogID: string }>('createCloudDoc', { cloudID, catalogName: 'dest' });
    const destCatalogID = made.body.data.catalogID;
    const content = await seedContent(server, cloudID);
    const tasks = [
      await begin(owner, cloudID, { taskType: MOVE, contentIDList: [content], destCatalogID }),
      await begin(owner, cloudID, { taskType: COPY, contentIDList: [content], destCatalogID }),
    ];
    await server.unitOfWork.executor.query(`UPDATE mcdisk.catalog SET state = 'DELETED' WHERE catalog_id = $1`, [
      destCatalogID,
    ]);
    await workThrough();
    for (const taskID of tasks) {
      const expected = { state: 'DONE', total: 1, done: 0, failed: 1, failureIDList: [content] };
      expect(await detail(owner, cloudID, taskID)).toMatchObject(expected);
    }
    expect((await owner.list(cloudID)).cloudContentList.map(({ contentID }) => contentID)).toEqual([content]);
  });

  test('alternates between tasks, so that a small task does not wait for a large one', async () => {
    const seeded = await seedContents(
      server,
      cloudID,
      Array.from({ length: 1_001 }, () => ({})),
    );
    const [single, ...many] = seeded.map(({ contentId }) => contentId);
    const large = await begin(owner, cloudID, { taskType: DELETE, contentIDList: many });
    const small = await begin(owner, cloudID, { taskType: DELETE, contentIDList: [single ?? ''] });
    while ((await detail(owner, cloudID, small)).state !== 'DONE') await runner.runNext();
    expect((await detail(owner, cloudID, large)).state).toBe('RUNNING');
    await workThrough();
    expect((await detail(owner, cloudID, large)).done).toBe(1_000);
  });

  test('publishes the progress of a task at its start and at its end', async () => {
    const content = await seedContent(server, cloudID);
    const taskID = await begin(owner, cloudID, { taskType: DELETE, contentIDList: [content] });
    await workThrough();
    const events = await server.unitOfWork.executor.query<{ payload: { state: string; done: number } }>(
      `SELECT payload FROM mcdisk.outbox
        WHERE name = 'mcdisk.batch-task.changed' AND key = $1 AND payload->>'taskID' = $2 ORDER BY position`,
      [cloudID, taskID],
    );
    expect(events.map(({ payload: { state, done } }) => [state, done])).toEqual([
      ['RUNNING', 0],
      ['DONE', 1],
    ]);
  });

  test('deletes a task a week after it finished', async () => {
    const taskID = await begin(owner, cloudID, { taskType: DELETE, contentIDList: [randomUUID()] });
    await workThrough();
    const retention = server.app.get(BatchTaskRetentionJob, { strict: false });
    const { finishTime } = await detail(owner, cloudID, taskID);
    await retention.run((finishTime ?? 0) + WEEK_MS);
    expect((await detail(owner, cloudID, taskID)).state).toBe('DONE');
    await retention.run((finishTime ?? 0) + WEEK_MS + 1);
    const answer = await owner.post('queryBatchOprTaskDetail', { cloudID, taskID });
    expect([answer.status, answer.body.reason]).toEqual([404, 'TASK_NOT_FOUND']);
  });
});
