import type { BatchTaskFolderEntity } from '@family-watch/domain/family-cloud/entities/batch-task-folder.entity';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';
import type { CloudActor } from '../clouds/cloud-actor.js';
import type { BatchOutcome, BatchCursor } from './batch-progress.js';

/** Contents, or folders, that one unit of work deals with. */
export interface BatchChunk {
  folders: readonly BatchTaskFolderEntity[];
  contents: readonly ChunkContent[];
  /** Where the task stands after it. */
  next: BatchCursor;
}

/** `targetId`: the folder where a copy goes; `null` for the root catalog, absent where none could be made. */
export interface ChunkContent {
  contentId: string;
  targetId?: string | null;
}

/** How one type of task deals with a part, in the open unit of work, whose first lock is the task's row. */
export interface BatchOperation {
  /**
   * The folders of a part belong together.
   * @throws ServiceError when nothing of it can be done; the unit of work must not be committed then
   */
  processFolders(task: BatchTaskEntity, actor: CloudActor, part: BatchChunk): Promise<BatchOutcome>;
  /** @throws ServiceError as above; QUOTA_EXCEEDED ends the whole task */
  processContents(task: BatchTaskEntity, actor: CloudActor, part: BatchChunk): Promise<BatchOutcome>;
}

/** Every id of a part, as it is reported when nothing of it could be done. */
export function chunkIds({ folders, contents }: BatchChunk): string[] {
  return [...folders.map(({ folderId }) => folderId), ...contents.map(({ contentId }) => contentId)];
}

/** The outcome for ids of which these were done. */
export function toBatchOutcome(ids: readonly string[], done: ReadonlySet<string>): BatchOutcome {
  const failed = ids.filter((id) => !done.has(id));
  return { done: ids.length - failed.length, failed };
}
