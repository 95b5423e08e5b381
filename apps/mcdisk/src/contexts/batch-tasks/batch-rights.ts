import { BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { BatchTaskType } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { CloudRight } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { hasRight } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';

const { READ, ADD, DELETE } = CLOUD_RIGHT;

/**
 * Rights that the creator of a task needs for the whole task. Rights to single items are checked when the items are
 * processed.
 */
const REQUIRED_RIGHTS: Readonly<Record<BatchTaskType, readonly CloudRight[]>> = {
  [BATCH_TASK_TYPE.COPY]: [READ, ADD],
  [BATCH_TASK_TYPE.DELETE]: [READ, DELETE],
  [BATCH_TASK_TYPE.MOVE]: [READ, ADD],
};

export function canRunTask(actor: CloudActor, taskType: BatchTaskType): boolean {
  return REQUIRED_RIGHTS[taskType].every((right) => hasRight(actor, right));
}
