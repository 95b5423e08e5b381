import { Injectable } from '@nestjs/common';
import { BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import type { Visibility } from '../clouds/cloud-actor.js';
import type { BatchChunk, BatchCursor } from './batch-progress.js';
import { BatchPlanRepository } from './batch-plan.repository.js';
import { PHASE, PHASES } from './batch-progress.js';

/**
 * Maximum number of contents per transaction, which locks the contents, and finally the cloud's row, for some
 * milliseconds.
 */
const CHUNK_SIZE = 200;

/** Determines the next chunk of a task. After a rollback, the next call returns the same chunk again. */
@Injectable()
export class BatchChunkService {
  /** Maximum number of contents per chunk. */
  maxContents = CHUNK_SIZE;

  constructor(private readonly plans: BatchPlanRepository) {}

  /**
   * Returns the next chunk. After the last item of a task the chunk is empty, and its `nextCursor` is after the last
   * phase.
   */
  async nextChunk(task: BatchTaskEntity, visibility: Visibility): Promise<BatchChunk> {
    const phases = PHASES[task.taskType];
    let { phase, position, lastContentId } = { ...task, phase: task.phase ?? 0 };
    for (; phase < phases.length; phase += 1, position = 0, lastContentId = null) {
      const cursor = { phase, position, lastContentId };
      const chunk = await this.nextInPhase(task, phases[phase] ?? PHASE.NAMED, cursor, visibility);
      if (chunk) return chunk;
    }
    return { folders: [], contents: [], nextCursor: { phase, position: 0, lastContentId: null } };
  }

  private nextInPhase(
    task: BatchTaskEntity,
    phase: keyof typeof PHASE,
    cursor: BatchCursor,
    visibility: Visibility,
  ): Promise<BatchChunk | undefined> {
    if (phase === PHASE.FOLDERS) return this.nextFolders(task, cursor);
    if (phase === PHASE.CONTENTS) return this.nextContents(task, cursor, visibility);
    return Promise.resolve(this.nextRequestedContents(task, cursor));
  }

  /**
   * A chunk of a deletion is one requested folder with all its descendants; a chunk of a copy or move is a single
   * folder.
   */
  private async nextFolders(
    { taskId, taskType }: BatchTaskEntity,
    { phase, position }: BatchCursor,
  ): Promise<BatchChunk | undefined> {
    const found =
      taskType === BATCH_TASK_TYPE.DELETE
        ? await this.plans.findRequestedTree(taskId, position)
        : [await this.plans.findFolder(taskId, position)];
    const folders = found.flatMap((folder) => folder ?? []);
    const last = folders.at(-1);
    return last && { folders, contents: [], nextCursor: { phase, position: last.position + 1, lastContentId: null } };
  }

  private async nextContents(
    task: BatchTaskEntity,
    cursor: BatchCursor,
    visibility: Visibility,
  ): Promise<BatchChunk | undefined> {
    const found = await this.plans.nextContents(task, cursor, visibility, this.maxContents);
    const last = found.at(-1);
    if (!last) return undefined;
    const contents = found.map(({ contentId, targetId }) => ({ contentId, targetId: targetId ?? undefined }));
    const next = { phase: cursor.phase, position: last.position, lastContentId: last.contentId };
    return { folders: [], contents, nextCursor: next };
  }

  private nextRequestedContents(
    { contentIds, destFolderId }: BatchTaskEntity,
    { phase, position }: BatchCursor,
  ): BatchChunk | undefined {
    const ids = contentIds.slice(position, position + this.maxContents);
    if (ids.length === 0) return undefined;
    const contents = ids.map((contentId) => ({ contentId, targetId: destFolderId }));
    return {
      folders: [],
      contents,
      nextCursor: { phase, position: position + ids.length, lastContentId: null },
    };
  }
}
