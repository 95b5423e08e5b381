import { randomUUID } from 'node:crypto';
import { BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { CLOUD_PATH, expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

/** Id of a batch task that the owner created. The only content of the task does not exist. */
export interface BatchTaskIds {
  taskID: string;
}

export async function batchTaskIdsOf({ owner, familyId: cloudID }: FamilyFixture): Promise<BatchTaskIds> {
  const task = { cloudID, taskType: BATCH_TASK_TYPE.DELETE, contentIDList: [randomUUID()] };
  const { data } = await expectOk(owner.post<{ data: BatchTaskIds }>(`${CLOUD_PATH}createBatchOprTask`, task));
  return { taskID: data.taskID };
}

export function unknownBatchTaskIds(): BatchTaskIds {
  return { taskID: randomUUID() };
}
