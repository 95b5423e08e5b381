import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_OPEN_BATCH_TASKS_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { BatchRunnerService } from '../../src/files/batch-tasks/batch-runner.service.js';
import { BatchTaskService } from '../../src/files/batch-tasks/batch-task.service.js';
import {
  createTask,
  COPY_TASK,
  DELETE_TASK,
  findTaskDetail,
  MOVE_TASK,
  stopBatchTaskJob,
} from '../support/batch-tasks.js';
import type { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { seedContent, seedContents, expectUsageConsistent } from '../support/seeded-cloud.js';

const WEEK_MS = 7 * 24 * 60 * 60_000;

// Uses a separate server, because the suite stops the job that processes batch tasks.
describe('batch tasks: rejections and interruptions', () => {
  let { family, cloudID, owner } = {} as TestCloud;
  let server: CloudServer;
  let runner: BatchRunnerService;

  beforeAll(async () => {
    server = await CloudServer.start();
    runner = await stopBatchTaskJob(server);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ family, cloudID, owner } = await createCloud(server));
  });

  async function runUntilFinished(): Promise<void> {
    while (await runner.runNext());
  }

  const create = (client: CloudClient, body: object) => client.post('createBatchOprTask', { cloudID, ...body });

  describe('invalid requests', () => {
    const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
    test.each<[string, object]>([
      ['a task without items', { taskType: DELETE_TASK }],
      ['a task with empty lists', { taskType: DELETE_TASK, contentIDList: [], catalogIDList: [] }],
      ['a task without a type', { contentIDList: ['x'] }],
      ['an unknown type', { taskType: 4, contentIDList: ['x'] }],
      ['a type that is a string', { taskType: '2', contentIDList: ['x'] }],
      ['a list that is not an array', { taskType: DELETE_TASK, contentIDList: 'x' }],
      ['null as a list', { taskType: DELETE_TASK, contentIDList: null }],
      ['ids that are not strings', { taskType: DELETE_TASK, contentIDList: [7] }],
      ['a list of 1,001 ids', { taskType: DELETE_TASK, contentIDList: ids(1_001) }],
      [
        'two lists with 1,001 ids together',
        { taskType: DELETE_TASK, contentIDList: ids(600), catalogIDList: ids(401) },
      ],
      ['an id of 129 characters', { taskType: DELETE_TASK, contentIDList: ['x'.repeat(129)] }],
      ['a copy without a destination', { taskType: COPY_TASK, contentIDList: ['x'] }],
      ['a move without a destination', { taskType: MOVE_TASK, catalogIDList: ['x'] }],
      ['a deletion with a destination', { taskType: DELETE_TASK, contentIDList: ['x'], destCatalogID: randomUUID() }],
      ['a deletion with a path', { taskType: DELETE_TASK, contentIDList: ['x'], destPath: 'root:' }],
      [
        'a destination id of 129 characters',
        { taskType: MOVE_TASK, contentIDList: ['x'], destCatalogID: 'x'.repeat(129) },
      ],
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
      const answer = await create(owner, { taskType: COPY_TASK, contentIDList: [randomUUID()], ...dest });
      expect([answer.status, answer.body.reason]).toEqual([404, 'CATALOG_NOT_FOUND']);
    });

    test('returns CATALOG_NOT_FOUND for a destination in another family', async () => {
      const other = await createCloud(server);
      const destCatalogID = await other.owner.createFolder(other.cloudID, 'theirs');
      const answer = await create(owner, { taskType: MOVE_TASK, contentIDList: [randomUUID()], destCatalogID });
      expect(answer.body.reason).toBe('CATALOG_NOT_FOUND');
    });
  });

  test('rejects deletions by a caregiver, and copies and moves by a contact', async () => {
    const [caregiver, contact] = [await server.as(family.caregiver), await server.as(family.contact)];
    const named = { contentIDList: [randomUUID()] };
    expect((await create(caregiver, { taskType: DELETE_TASK, ...named })).body.reason).toBe('PERMISSION_MISSING');
    for (const taskType of [COPY_TASK, MOVE_TASK]) {
      const answer = await create(contact, { taskType, ...named, destCatalogID: '' });
      expect(answer.body.reason).toBe('PERMISSION_MISSING');
    }
  });

  test('limits the number of open tasks of a cloud, also under concurrent requests', async () => {
    const body = { taskType: DELETE_TASK, contentIDList: [randomUUID()] };
    const answers = await Promise.all(
      Array.from({ length: MAX_OPEN_BATCH_TASKS_PER_CLOUD + 3 }, () => create(owner, body)),
    );
    expect(answers.filter(({ body: { code } }) => code === 0)).toHaveLength(MAX_OPEN_BATCH_TASKS_PER_CLOUD);
    expect(answers.filter(({ body: { reason } }) => reason === 'LIMIT_REACHED')).toHaveLength(3);
    await runUntilFinished();
    expect((await create(owner, body)).body.code).toBe(0);
    await runUntilFinished();
  });

  test('creates one task when a request is repeated with its idempotency key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const body = { cloudID, taskType: DELETE_TASK, contentIDList: [randomUUID()] };
    const send = async () => (await owner.post('createBatchOprTask', body, key)).body.data;
    expect(await send()).toEqual(await send());
    await runUntilFinished();
  });

  test('cancels a running task when its creator is removed from the family', async () => {
    const guardian = await server.as(family.guardian);
    const contentIDList = await seedContents(server, cloudID, 450);
    const taskID = await createTask(guardian, cloudID, { taskType: DELETE_TASK, contentIDList });
    // The first call of `runNext` plans the task, and the second call deletes the first 200 contents.
    for (let turn = 0; turn < 2; turn += 1) await runner.runNext();
    expect(await findTaskDetail(guardian, cloudID, taskID)).toMatchObject({ state: 'RUNNING', total: 450, done: 200 });
    const members = family.snapshot.members.filter(({ userId }) => userId !== family.guardian.id);
    await server.publishFamily({ ...family.snapshot, version: 2, members });
    await runUntilFinished();
    await server.publishFamily({ ...family.snapshot, version: 3 });
    const task = await findTaskDetail(guardian, cloudID, taskID);
    expect(task).toMatchObject({ state: 'CANCELLED', done: 200, failed: 0 });
    expect(task.finishTime).not.toBeNull();
    expect((await owner.list(cloudID)).totalCount).toBe(250);
    await expectUsageConsistent(server, cloudID);
  });

  test('moves and copies fail and lose no contents when the destination is deleted before they run', async () => {
    const destCatalogID = await owner.createFolder(cloudID, 'dest');
    const content = await seedContent(server, cloudID);
    const tasks = [
      await createTask(owner, cloudID, { taskType: MOVE_TASK, contentIDList: [content], destCatalogID }),
      await createTask(owner, cloudID, { taskType: COPY_TASK, contentIDList: [content], destCatalogID }),
    ];
    await server.query(`UPDATE mcdisk.catalog SET state = 'DELETED' WHERE catalog_id = $1`, [destCatalogID]);
    await runUntilFinished();
    for (const taskID of tasks) {
      const expected = { state: 'DONE', total: 1, done: 0, failed: 1, failureIDList: [content] };
      expect(await findTaskDetail(owner, cloudID, taskID)).toMatchObject(expected);
    }
    expect(await owner.listIds(cloudID)).toEqual([content]);
  });

  test('alternates between tasks, so that a small task does not wait for a large one', async () => {
    const [single = '', ...many] = await seedContents(server, cloudID, 1_001);
    const large = await createTask(owner, cloudID, { taskType: DELETE_TASK, contentIDList: many });
    const small = await createTask(owner, cloudID, { taskType: DELETE_TASK, contentIDList: [single] });
    while ((await findTaskDetail(owner, cloudID, small)).state !== 'DONE') await runner.runNext();
    expect((await findTaskDetail(owner, cloudID, large)).state).toBe('RUNNING');
    await runUntilFinished();
    expect((await findTaskDetail(owner, cloudID, large)).done).toBe(1_000);
  });

  test('publishes the progress of a task at its start and at its end', async () => {
    const content = await seedContent(server, cloudID);
    const taskID = await createTask(owner, cloudID, { taskType: DELETE_TASK, contentIDList: [content] });
    await runUntilFinished();
    const events = await server.query<{ payload: { state: string; done: number } }>(
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
    const taskID = await createTask(owner, cloudID, { taskType: DELETE_TASK, contentIDList: [randomUUID()] });
    await runUntilFinished();
    const tasks = server.get(BatchTaskService);
    const { finishTime } = await findTaskDetail(owner, cloudID, taskID);
    await tasks.deleteFinished((finishTime ?? 0) + WEEK_MS);
    expect((await findTaskDetail(owner, cloudID, taskID)).state).toBe('DONE');
    await tasks.deleteFinished((finishTime ?? 0) + WEEK_MS + 1);
    const answer = await owner.post('queryBatchOprTaskDetail', { cloudID, taskID });
    expect([answer.status, answer.body.reason]).toEqual([404, 'TASK_NOT_FOUND']);
  });
});
