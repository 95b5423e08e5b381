import { Injectable } from '@nestjs/common';
import { BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/batch-task';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';
import type { Visibility } from '../clouds/cloud-actor.js';
import type { BatchChunk } from './batch-chunk.js';
import { BatchPlanRepository } from './batch-plan.repository.js';
import { PHASE, PHASES } from './batch-progress.js';
import type { BatchCursor } from './batch-progress.js';

/** Contents of one unit of work: it holds them, and the cloud's row at its end, for some milliseconds. */
const PART_SIZE = 200;

/** Says what a task deals with next; the same again when that was undone. */
@Injectable()
export class BatchChunkService {
  /** Contents of a part at most. */
  size = PART_SIZE;

  constructor(private readonly plans: BatchPlanRepository) {}

  /** At the end there is nothing in it, and `next` lies behind the last phase. */
  async next(task: BatchTaskEntity, sight: Visibility): Promise<BatchChunk> {
    const phases = PHASES[task.taskType];
    let { phase, position, lastContentId } = { ...task, phase: task.phase ?? 0 };
    for (; phase < phases.length; phase += 1, position = 0, lastContentId = null) {
      const place = { phase, position, lastContentId };
      const part = await this.partOf(task, phases[phase] ?? PHASE.NAMED, place, sight);
      if (part) return part;
    }
    return { folders: [], contents: [], next: { phase, position: 0, lastContentId: null } };
  }

  private partOf(
    task: BatchTaskEntity,
    phase: keyof typeof PHASE,
    place: BatchCursor,
    sight: Visibility,
  ): Promise<BatchChunk | undefined> {
    if (phase === PHASE.FOLDERS) return this.nextFolders(task, place);
    if (phase === PHASE.CONTENTS) return this.nextContents(task, place, sight);
    return Promise.resolve(this.nextNamed(task, place));
  }

  /** A named folder with all below it; copies are made one by one. */
  private async nextFolders(
    { taskId, taskType }: BatchTaskEntity,
    { phase, position }: BatchCursor,
  ): Promise<BatchChunk | undefined> {
    const found =
      taskType === BATCH_TASK_TYPE.DELETE
        ? await this.plans.findNamedTree(taskId, position)
        : [await this.plans.findFolder(taskId, position)];
    const folders = found.flatMap((folder) => folder ?? []);
    const last = folders.at(-1);
    return (
      last && { folders, contents: [], next: { phase, position: last.position + 1, lastContentId: null } }
    );
  }

  private async nextContents(
    task: BatchTaskEntity,
    place: BatchCursor,
    sight: Visibility,
  ): Promise<BatchChunk | undefined> {
    const found = await this.plans.nextContents(task, place, sight, this.size);
    const last = found.at(-1);
    if (!last) return undefined;
    const contents = found.map(({ contentId, targetId }) => ({ contentId, targetId: targetId ?? undefined }));
    const next = { phase: place.phase, position: last.position, lastContentId: last.contentId };
    return { folders: [], contents, next };
  }

  private nextNamed(
    { contentIds, destFolderId }: BatchTaskEntity,
    { phase, position }: BatchCursor,
  ): BatchChunk | undefined {
    const ids = contentIds.slice(position, position + this.size);
    if (ids.length === 0) return undefined;
    const contents = ids.map((contentId) => ({ contentId, targetId: destFolderId }));
    return {
      folders: [],
      contents,
      next: { phase, position: position + ids.length, lastContentId: null },
    };
  }
}
