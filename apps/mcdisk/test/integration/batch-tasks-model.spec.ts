import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { BatchPlannerService } from '../../src/files/batch-tasks/batch-planner.service.js';
import type { BatchRunnerService } from '../../src/files/batch-tasks/batch-runner.service.js';
import { BatchTaskRepository } from '../../src/files/batch-tasks/batch-task.repository.js';
import {
  createTask,
  COPY_TASK,
  DELETE_TASK,
  findTaskDetail,
  MOVE_TASK,
  stopBatchTaskJob,
  type TaskRequest,
} from '../support/batch-tasks.js';
import { CloudModel } from '../support/cloud-model.js';
import { CloudServer } from '../support/cloud-server.js';
import { addMember, createCloud } from '../support/test-cloud.js';
import { seedContents, expectUsageConsistent } from '../support/seeded-cloud.js';

const listIndex = fc.nat({ max: 30 });

/** A random batch task, with indexes into the lists of folders and contents, which are known when the task is created. */
const commandArbitrary = fc.record({
  taskType: fc.constantFrom(COPY_TASK, DELETE_TASK, MOVE_TASK, MOVE_TASK, COPY_TASK),
  isByGuardian: fc.boolean(),
  folderIndexes: fc.array(listIndex, { maxLength: 3 }),
  contentIndexes: fc.array(listIndex, { maxLength: 5 }),
  destinationIndex: listIndex,
  /** For each attempt of the runner, whether its transaction fails just before its commit; the list repeats. */
  crashes: fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }).filter((crashed) => crashed.includes(false)),
});
type TaskCommand = typeof commandArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * A tree: for each folder the index of its parent among the earlier folders, for each content the index of its folder.
 */
const treeArbitrary = fc.record({
  parents: fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 7 }),
  contents: fc.array(fc.record({ folderIndex: fc.nat({ max: 7 }), childIndex: fc.nat({ max: 2 }) }), { maxLength: 16 }),
});
type Tree = typeof treeArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

describe('batch tasks compared with an in-memory model', () => {
  let server: CloudServer;
  let otherServer: CloudServer;
  let runner: BatchRunnerService;
  let otherRunner: BatchRunnerService;

  beforeAll(async () => {
    server = await CloudServer.start();
    otherServer = await CloudServer.startSecondNode(server);
    runner = await stopBatchTaskJob(server);
    otherRunner = await stopBatchTaskJob(otherServer);
    for (const node of [server, otherServer]) node.get(BatchPlannerService).maxContentsPerChunk = 3;
  });
  afterAll(async () => {
    await otherServer.stop();
    await server.stop();
  });

  async function createFamilyWithTree({ parents, contents }: Tree) {
    const { family, cloudID, owner } = await createCloud(server);
    const { cids } = family;
    const changes = { childPermissions: { [cids[1]]: [] } };
    const otherGuardian = await addMember({ server, family }, FAMILY_ROLE.GUARDIAN, changes);
    const folders: (string | null)[] = [null];
    for (const [index, parent] of parents.entries())
      folders.push(await owner.createFolder(cloudID, `f${index}`, folders[parent % folders.length] ?? ''));
    const seeds = contents.map(({ folderIndex, childIndex }) => ({
      parentFolderId: folders[folderIndex % folders.length] ?? null,
      cid: cids[childIndex] ?? null,
    }));
    await seedContents(server, cloudID, seeds);
    const clients = [owner, otherGuardian] as const;
    return { cloudID, hidden: cids[1], clients };
  }

  function toTaskRequest(
    model: CloudModel,
    { taskType, folderIndexes, contentIndexes, destinationIndex }: TaskCommand,
  ): TaskRequest {
    const pick = (list: string[], index: number) => list[index % (list.length + 1)] ?? randomUUID();
    const contentIDList = contentIndexes.map((index) => pick(model.contentIds, index));
    const catalogIDList = folderIndexes.map((index) => pick(model.folderIds, index));
    if (contentIDList.length + catalogIDList.length === 0) contentIDList.push(randomUUID());
    const destCatalogID =
      taskType === DELETE_TASK ? undefined : (model.folderIds[destinationIndex % (model.folderIds.length + 1)] ?? '');
    return { taskType, contentIDList, catalogIDList, destCatalogID };
  }

  /** Runs all waiting tasks. Attempt n fails just before its commit if `crashes[n]` is set; the list repeats. */
  async function runAll(crashes: readonly boolean[]): Promise<void> {
    const tasks = server.get(BatchTaskRepository);
    for (let attempt = 0; ; attempt += 1) {
      if (!crashes[attempt % crashes.length]) {
        if (!(await runner.runNext())) return;
        continue;
      }
      const save = tasks.save.bind(tasks);
      const spy = jest.spyOn(tasks, 'save').mockImplementation(async (...parameters) => {
        await save(...parameters);
        throw new DatabaseUnavailableError();
      });
      await runner.runNext().catch((error: unknown) => expect(error).toBeInstanceOf(DatabaseUnavailableError));
      spy.mockRestore();
    }
  }

  test('tasks change the cloud exactly as the model predicts, however often the tasks are interrupted', async () => {
    await fc.assert(
      fc.asyncProperty(
        treeArbitrary,
        fc.array(commandArbitrary, { minLength: 1, maxLength: 4 }),
        async (shape, commands) => {
          const { cloudID, hidden, clients } = await createFamilyWithTree(shape);
          for (const one of commands) {
            const model = await CloudModel.read(server, cloudID);
            const request = toTaskRequest(model, one);
            const client = clients[one.isByGuardian ? 1 : 0];
            const taskID = await createTask(client, cloudID, request);
            await runAll(one.crashes);
            const { done, failed } = model.apply(request, one.isByGuardian ? hidden : null);
            expect((await CloudModel.read(server, cloudID)).listPaths()).toEqual(model.listPaths());
            const result = await findTaskDetail(client, cloudID, taskID);
            expect(result).toMatchObject({ state: 'DONE', total: done + failed, done, failed });
            expect(result.failureIDList).toHaveLength(failed);
            await expectUsageConsistent(server, cloudID);
          }
        },
      ),
      { numRuns: propertyRuns(5), endOnFailure: true },
    );
  }, 720_000);

  test('two concurrent nodes process each chunk of a task once', async () => {
    await fc.assert(
      fc.asyncProperty(
        treeArbitrary,
        fc.array(commandArbitrary, { minLength: 2, maxLength: 3 }),
        async (shape, commands) => {
          const { cloudID, clients } = await createFamilyWithTree(shape);
          const model = await CloudModel.read(server, cloudID);
          const requests = commands.map((one) => toTaskRequest(model, { ...one, taskType: DELETE_TASK }));
          const taskIDs = await Promise.all(requests.map((request) => createTask(clients[0], cloudID, request)));
          const runUntilIdle = async (one: BatchRunnerService) => {
            while (await one.runNext());
          };
          const isDone = async (taskID: string) => (await findTaskDetail(clients[0], cloudID, taskID)).state === 'DONE';
          do {
            await Promise.all([runUntilIdle(runner), runUntilIdle(otherRunner)]);
          } while ((await Promise.all(taskIDs.map(isDone))).includes(false));
          for (const request of requests) model.apply(request, null);
          expect((await CloudModel.read(server, cloudID)).listPaths()).toEqual(model.listPaths());
          await expectUsageConsistent(server, cloudID);
        },
      ),
      { numRuns: propertyRuns(5), endOnFailure: true },
    );
  }, 360_000);
});
