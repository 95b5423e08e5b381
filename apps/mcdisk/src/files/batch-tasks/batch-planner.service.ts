import { Injectable } from '@nestjs/common';
import { BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { FOLDER_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { FolderRepository } from '../folders/folder.repository.js';
import type { CloudActor, Visibility } from '../../clouds/cloud-actor.js';
import { BatchTaskRepository, type TreeFolder } from './batch-task.repository.js';
import { PHASE, PHASES, type BatchOutcome, type BatchChunk, type BatchCursor } from './batch-progress.js';

/** The result of planning a batch task. */
export interface BatchPlan {
  /** Requested contents that are not in a requested folder. */
  contentIds: string[];
  /** Outcome of the items that need no processing because they are already done or unknown. */
  outcome: BatchOutcome;
  /** Number of items of the task, including those that need no processing. */
  total: number;
}

/**
 * Maximum number of contents per transaction, which locks the contents, and finally the cloud's row, for some
 * milliseconds.
 */
const CHUNK_SIZE = 200;

/**
 * Determines the items of a batch task. A requested folder includes its descendants. The descendants are processed
 * once, even when the request also contains their ids.
 */
@Injectable()
export class BatchPlannerService {
  /** Maximum number of contents per chunk. */
  maxContentsPerChunk = CHUNK_SIZE;

  constructor(
    private readonly folders: FolderRepository,
    private readonly plans: BatchTaskRepository,
  ) {}

  /** Plans the task. Stores the folders of the task in the current transaction; locks nothing. */
  async plan(task: BatchTaskEntity, actor: CloudActor): Promise<BatchPlan> {
    const { cloudId, taskId, taskType } = task;
    const trees = await this.findTrees(task);
    const isMove = taskType === BATCH_TASK_TYPE.MOVE;
    const planned = isMove ? trees.tops : trees.folders;
    const plannedIds = planned.map(({ folderId }) => folderId);
    if (planned.length > 0) await this.plans.insertFolders(taskId, toPlannedFolders(planned, trees.tops));
    const included = await this.plans.findDescendants(
      task,
      trees.tops.map(({ folderId }) => folderId),
      actor.visibility,
    );
    const contentIds = task.contentIds.filter((id) => !included.has(id));
    const inFolders = isMove ? 0 : await this.plans.countContents(cloudId, plannedIds, actor.visibility);
    const outcome = {
      doneCount: trees.done + (isMove ? included.size + trees.nested : 0),
      failedIds: trees.unknown,
    };
    const completed = task.done + task.failed + outcome.doneCount + outcome.failedIds.length;
    return { contentIds, outcome, total: completed + plannedIds.length + inFolders + contentIds.length };
  }

  /**
   * Returns the next chunk. After the last item of a task the chunk is empty, and its `nextCursor` is after the last
   * phase.
   */
  async nextChunk(task: BatchTaskEntity, visibility: Visibility): Promise<BatchChunk> {
    const phases = PHASES[task.taskType];
    let { phase, position, lastContentId } = { ...task, phase: task.phase ?? 0 };
    for (; phase < phases.length; phase += 1, position = 0, lastContentId = null) {
      const cursor = { phase, position, lastContentId };
      const chunk = await this.nextInPhase(task, phases[phase] ?? PHASE.REQUESTED_CONTENTS, cursor, visibility);
      if (chunk) return chunk;
    }
    return { folders: [], contents: [], nextCursor: { phase, position: 0, lastContentId: null } };
  }

  /** Returns the requested folders in the order of the request, and their descendants. */
  private async findTrees({ cloudId, folderIds, taskType }: BatchTaskEntity) {
    const requested = folderIds.length === 0 ? [] : await this.folders.findMany(cloudId, folderIds);
    const active = requested.filter(({ state }) => state === FOLDER_STATE.ACTIVE);
    const ids = new Set(active.map(({ folderId }) => folderId));
    const order = new Map(folderIds.map((id, index) => [id, index]));
    const tops = active
      .filter(({ pathIds }) => !pathIds.slice(0, -1).some((id) => ids.has(id)))
      .sort((a, b) => (order.get(a.folderId) ?? 0) - (order.get(b.folderId) ?? 0));
    // A folder that is already deleted counts as done, so that repeating a task has the same result.
    const deleted =
      taskType === BATCH_TASK_TYPE.DELETE ? requested.filter(({ state }) => state !== FOLDER_STATE.ACTIVE) : [];
    const existing = new Set([...ids, ...deleted.map(({ folderId }) => folderId)]);
    return {
      tops,
      nested: active.length - tops.length,
      done: deleted.length,
      unknown: folderIds.filter((id) => !existing.has(id)),
      folders:
        tops.length === 0
          ? []
          : await this.plans.findTrees(
              cloudId,
              tops.map(({ folderId }) => folderId),
            ),
    };
  }

  private nextInPhase(
    task: BatchTaskEntity,
    phase: keyof typeof PHASE,
    cursor: BatchCursor,
    visibility: Visibility,
  ): Promise<BatchChunk | undefined> {
    if (phase === PHASE.FOLDERS) return this.nextFolders(task, cursor);
    if (phase === PHASE.FOLDER_CONTENTS) return this.nextContents(task, cursor, visibility);
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
    const found = await this.plans.nextContents(task, cursor, visibility, this.maxContentsPerChunk);
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
    const ids = contentIds.slice(position, position + this.maxContentsPerChunk);
    if (ids.length === 0) return undefined;
    const contents = ids.map((contentId) => ({ contentId, targetId: destFolderId }));
    return {
      folders: [],
      contents,
      nextCursor: { phase, position: position + ids.length, lastContentId: null },
    };
  }
}

/**
 * Assigns positions to folders: each requested folder is followed by its descendants, parents before their children.
 */
function toPlannedFolders(folders: readonly TreeFolder[], tops: readonly TreeFolder[]) {
  const order = new Map(tops.map(({ folderId }, index) => [folderId, index]));
  const topOf = ({ pathIds }: TreeFolder) => order.get(pathIds.find((id) => order.has(id)) ?? '') ?? 0;
  const sorted = folders.toSorted((a, b) => topOf(a) - topOf(b) || a.pathIds.length - b.pathIds.length);
  const positions = new Map(sorted.map(({ folderId }, position) => [folderId, position]));
  return sorted.map(({ folderId, parentFolderId }, position) => ({
    folderId,
    position,
    parentPosition: order.has(folderId) ? null : (positions.get(parentFolderId ?? '') ?? null),
    targetFolderId: null,
  }));
}
