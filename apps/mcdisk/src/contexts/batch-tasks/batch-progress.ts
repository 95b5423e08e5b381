import {
  BATCH_TASK_STATE,
  BATCH_TASK_TYPE,
  MAX_BATCH_TASK_FAILURES,
} from '@family-watch/domain/family-cloud/contracts/batch-task';
import type { BatchTaskType } from '@family-watch/domain/family-cloud/contracts/batch-task';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';

/** What a task goes through: its folders, the contents of those, and the contents that were named themselves. */
export const PHASE = { FOLDERS: 'FOLDERS', CONTENTS: 'CONTENTS', NAMED: 'NAMED' } as const;
export type Phase = (typeof PHASE)[keyof typeof PHASE];

/** Copies need their folders first; deleted folders have to be empty; a folder that moves takes along what is in it. */
export const PHASES: Readonly<Record<BatchTaskType, readonly Phase[]>> = {
  [BATCH_TASK_TYPE.COPY]: [PHASE.FOLDERS, PHASE.CONTENTS, PHASE.NAMED],
  [BATCH_TASK_TYPE.DELETE]: [PHASE.CONTENTS, PHASE.NAMED, PHASE.FOLDERS],
  [BATCH_TASK_TYPE.MOVE]: [PHASE.FOLDERS, PHASE.NAMED],
};

/** Where a task stands. */
export type BatchCursor = Pick<BatchTaskEntity, 'phase' | 'position' | 'lastContentId'>;

/** What became of a part: how many were done, and the ids of those that were not. */
export interface BatchOutcome {
  done: number;
  failed: readonly string[];
}

/** What changes of a task from one part to the next. */
export type BatchProgress = BatchCursor &
  Pick<BatchTaskEntity, 'state' | 'total' | 'done' | 'failed' | 'failureIds' | 'finishedAt'>;

/** How often progress is told at most, milliseconds. */
const TELL_EVERY_MS = 2_000;

/** The task after a part of it. At the end what was dealt with is the total, whatever came or went meanwhile. */
export function advanceProgress(
  task: BatchTaskEntity,
  { done, failed }: BatchOutcome,
  place: BatchCursor,
  now: number,
): BatchProgress {
  const isOver = (place.phase ?? 0) >= PHASES[task.taskType].length;
  const counts = { done: task.done + done, failed: task.failed + failed.length };
  return {
    ...place,
    ...counts,
    failureIds: [...task.failureIds, ...failed].slice(0, MAX_BATCH_TASK_FAILURES),
    total: isOver ? counts.done + counts.failed : Math.max(task.total, counts.done + counts.failed),
    state: isOver ? BATCH_TASK_STATE.DONE : BATCH_TASK_STATE.RUNNING,
    finishedAt: isOver ? now : null,
  };
}

/** The beginning and the end are told at once, what is between them now and then. */
export function shouldPublishProgress(
  { lastNotifiedAt }: BatchTaskEntity,
  { finishedAt }: BatchProgress,
  now: number,
): boolean {
  return lastNotifiedAt === null || finishedAt !== null || now - lastNotifiedAt >= TELL_EVERY_MS;
}
