import type {
  BatchTaskEntity,
  BatchTaskFolderEntity,
} from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import type { CloudActor } from '../clouds/cloud-actor.js';
import type { BatchOutcome, BatchCursor } from './batch-progress.js';

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
