import type { BatchTaskFolderEntity } from '@family-watch/domain/family-cloud/entities/batch-task-folder.entity';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';
import type { CloudActor } from '../clouds/cloud-actor.js';
import type { BatchOutcome, BatchCursor } from './batch-progress.js';

/** Contents or folders that are processed in one transaction. */
export interface BatchChunk {
  folders: readonly BatchTaskFolderEntity[];
  contents: readonly ChunkContent[];
  /** The cursor of the task after this chunk. */
  next: BatchCursor;
}

/** `targetId`: the destination folder of the copy; `null` is the root, absent when that folder could not be created. */
export interface ChunkContent {
  contentId: string;
  targetId?: string | null;
}

/** Processes the chunks of one type of task, in the current transaction. The task's row was locked first. */
export interface BatchOperation {
  /**
   * Processes the folders of a chunk; all succeed or the call fails.
   * @throws ServiceError when no folder of the chunk can be processed; the transaction must not be committed then
   */
  processFolders(task: BatchTaskEntity, actor: CloudActor, chunk: BatchChunk): Promise<BatchOutcome>;
  /** @throws ServiceError when no content can be processed; QUOTA_EXCEEDED stops the whole task */
  processContents(task: BatchTaskEntity, actor: CloudActor, chunk: BatchChunk): Promise<BatchOutcome>;
}

/** Returns every id of a chunk, as reported when the whole chunk failed. */
export function chunkIds({ folders, contents }: BatchChunk): string[] {
  return [...folders.map(({ folderId }) => folderId), ...contents.map(({ contentId }) => contentId)];
}

/** Builds the outcome for `ids`; all that are not in `done` have failed. */
export function toBatchOutcome(ids: readonly string[], done: ReadonlySet<string>): BatchOutcome {
  const failed = ids.filter((id) => !done.has(id));
  return { done: ids.length - failed.length, failed };
}
