import {
  BATCH_TASK_STATE,
  BATCH_TASK_TYPE,
  MAX_BATCH_TASK_FAILURES,
  type BatchTaskType,
} from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type {
  BatchTaskEntity,
  BatchTaskFolderEntity,
} from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { CLOUD_RIGHT, type CloudRight } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { hasRight, type CloudActor } from '../../clouds/cloud-actor.js';

/**
 * Phases of a task: FOLDERS processes the folders of the task, FOLDER_CONTENTS the contents of these folders, and
 * REQUESTED_CONTENTS the contents that were requested by id.
 */
export const PHASE = {
  FOLDERS: 'FOLDERS',
  FOLDER_CONTENTS: 'FOLDER_CONTENTS',
  REQUESTED_CONTENTS: 'REQUESTED_CONTENTS',
} as const;
export type Phase = (typeof PHASE)[keyof typeof PHASE];

/**
 * Order of the phases by type of task. A copy creates the folders before it copies their contents. A deletion deletes a
 * folder after its contents, because the folder must be empty. A move has no phase for the contents of folders, because
 * these contents move with their folder.
 */
export const PHASES: Readonly<Record<BatchTaskType, readonly Phase[]>> = {
  [BATCH_TASK_TYPE.COPY]: [PHASE.FOLDERS, PHASE.FOLDER_CONTENTS, PHASE.REQUESTED_CONTENTS],
  [BATCH_TASK_TYPE.DELETE]: [PHASE.FOLDER_CONTENTS, PHASE.REQUESTED_CONTENTS, PHASE.FOLDERS],
  [BATCH_TASK_TYPE.MOVE]: [PHASE.FOLDERS, PHASE.REQUESTED_CONTENTS],
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

/** Contents or folders that are processed in one transaction. */
export interface BatchChunk {
  folders: readonly BatchTaskFolderEntity[];
  contents: readonly ChunkContent[];
  /** The cursor of the task after this chunk. */
  nextCursor: BatchCursor;
}

/**
 * A content of a chunk. `targetId` is the destination folder of the content's copy, `null` for the root, and absent
 * when the folder could not be created.
 */
export interface ChunkContent {
  contentId: string;
  targetId?: string | null;
}

/** Processes the chunks of one type of task, in the current transaction. The caller must have locked the task's row. */
export interface BatchOperation {
  /**
   * Processes the folders of a chunk. A copy or move processes all folders of the chunk or throws. A deletion reports
   * folders that are not empty as failed.
   * @throws ServiceError when no folder of the chunk can be processed; the caller must then roll back the transaction
   */
  processFolders(task: BatchTaskEntity, actor: CloudActor, chunk: BatchChunk): Promise<BatchOutcome>;
  /** @throws ServiceError when no content can be processed; the error QUOTA_EXCEEDED stops the whole task */
  processContents(task: BatchTaskEntity, actor: CloudActor, chunk: BatchChunk): Promise<BatchOutcome>;
}

/** Returns the ids of all items of a chunk, to report them as failed when the whole chunk failed. */
export function chunkIds({ folders, contents }: BatchChunk): string[] {
  return [...folders.map(({ folderId }) => folderId), ...contents.map(({ contentId }) => contentId)];
}

/** Builds the outcome for `ids`: every id that is not in `done` has failed. */
export function toBatchOutcome(ids: readonly string[], done: ReadonlySet<string>): BatchOutcome {
  const failed = ids.filter((id) => !done.has(id));
  return { doneCount: ids.length - failed.length, failedIds: failed };
}

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
