import type { BatchOprTaskDetailDto } from '@family-watch/domain/family-cloud/dto/batch-opr-task.dto';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { BATCH_TASK_JOB, BatchRunnerService } from '../../src/files/batch-tasks/batch-runner.service.js';
import type { CloudClient } from './cloud-client.js';
import type { CloudServer } from './cloud-server.js';

// Values of the field taskType.
export const COPY_TASK = 1;
export const DELETE_TASK = 2;
export const MOVE_TASK = 3;

/** The body of a createBatchOprTask request, without the cloud. */
export interface TaskRequest {
  taskType: number;
  contentIDList?: string[];
  catalogIDList?: string[];
  destCatalogID?: string;
  destPath?: string;
}

/**
 * Creates a batch task and returns its id.
 * @throws Error when the request is rejected
 */
export async function createTask(client: CloudClient, cloudID: string, request: TaskRequest): Promise<string> {
  const { body, text } = await client.post<{ taskID: string }>('createBatchOprTask', { cloudID, ...request });
  if (body.code !== 0) throw new Error(`Not accepted: ${text}`);
  return body.data.taskID;
}

export async function findTaskDetail(
  client: CloudClient,
  cloudID: string,
  taskID: string,
): Promise<BatchOprTaskDetailDto> {
  const { body, text } = await client.post<BatchOprTaskDetailDto>('queryBatchOprTaskDetail', { cloudID, taskID });
  if (body.code !== 0) throw new Error(`Unknown: ${text}`);
  return body.data;
}

/** Waits until the batch task has finished and returns its details. */
export async function waitForTask(
  client: CloudClient,
  cloudID: string,
  taskID: string,
): Promise<BatchOprTaskDetailDto> {
  return waitUntilFound(`task ${taskID} to end`, async () => {
    const found = await findTaskDetail(client, cloudID, taskID);
    return found.finishTime === null ? undefined : found;
  });
}

/** Creates a batch task and waits until it has finished. Returns its details. */
export async function runTask(
  client: CloudClient,
  cloudID: string,
  request: TaskRequest,
): Promise<BatchOprTaskDetailDto> {
  return waitForTask(client, cloudID, await createTask(client, cloudID, request));
}

/** Stops the batch task job, so that tasks run only when the test calls the returned runner. */
export async function stopBatchTaskJob(server: CloudServer): Promise<BatchRunnerService> {
  await server.get(JobScheduler).stop(BATCH_TASK_JOB);
  return server.get(BatchRunnerService);
}
