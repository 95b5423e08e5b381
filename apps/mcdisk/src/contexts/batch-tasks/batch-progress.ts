import {
  BATCH_TASK_STATE,
  BATCH_TASK_TYPE,
  MAX_BATCH_TASK_FAILURES,
} from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { BatchTaskType } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';

/**
 * Phases of a task: FOLDERS processes the folders of the task, CONTENTS the contents of these folders, and NAMED the
 * contents that were requested by id.
 */
export const PHASE = { FOLDERS: 'FOLDERS', CONTENTS: 'CONTENTS', NAMED: 'NAMED' } as const;
export type Phase = (typeof PHASE)[keyof typeof PHASE];

/**
 * Order of the phases by type of task. A copy creates the folders before it copies their contents. A deletion deletes a
 * folder after its contents, because the folder must be empty. A move has no phase for the contents of folders, because
 * they move with their folder.
 */
export const PHASES: Readonly<Record<BatchTaskType, readonly Phase[]>> = {
  [BATCH_TASK_TYPE.COPY]: [PHASE.FOLDERS, PHASE.CONTENTS, PHASE.NAMED],
  [BATCH_TASK_TYPE.DELETE]: [PHASE.CONTENTS, PHASE.NAMED, PHASE.FOLDERS],
  [BATCH_TASK_TYPE.MOVE]: [PHASE.FOLDERS, PHASE.NAMED],
};

/** Position from which a task continues. */
export type BatchCursor = Pick<BatchTaskEntity, 'phase' | 'position' | 'lastContentId'>;

/** Result of a chunk: the number of items done, and the ids of the items that failed. */
export interface BatchOutcome {
  doneCount: number;
  failedIds: readonly string[];
}

/** The columns of a task that change with every chunk. */
export type BatchProgress = BatchCursor &
  Pick<BatchTaskEntity, 'state' | 'total' | 'done' | 'failed' | 'failureIds' | 'finishedAt'>;

/** Minimum interval between two progress events. */
const PUBLISH_INTERVAL_MS = 2_000;

/**
 * Returns the progress of the task after a chunk. When the task finishes, `total` becomes the number of processed
 * items, because contents may have been added or removed since the task was planned.
 */
export function advanceProgress(
  task: BatchTaskEntity,
  { doneCount, failedIds }: BatchOutcome,
  cursor: BatchCursor,
  now: number,
): BatchProgress {
  const isFinished = (cursor.phase ?? 0) >= PHASES[task.taskType].length;
  const counts = { done: task.done + doneCount, failed: task.failed + failedIds.length };
  return {
    ...cursor,
    ...counts,
    failureIds: [...task.failureIds, ...failedIds].slice(0, MAX_BATCH_TASK_FAILURES),
    total: isFinished ? counts.done + counts.failed : Math.max(task.total, counts.done + counts.failed),
    state: isFinished ? BATCH_TASK_STATE.DONE : BATCH_TASK_STATE.RUNNING,
    finishedAt: isFinished ? now : null,
  };
}

/**
 * Returns whether to publish a progress event. The start and the end of a task are published immediately, progress
 * between them at most every two seconds.
 */
export function shouldPublishProgress(
  { lastNotifiedAt }: BatchTaskEntity,
  { finishedAt }: BatchProgress,
  now: number,
): boolean {
  return lastNotifiedAt === null || finishedAt !== null || now - lastNotifiedAt >= PUBLISH_INTERVAL_MS;
}
