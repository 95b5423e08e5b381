import { Injectable } from '@nestjs/common';
import { BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/batch-task';
import { FOLDER_STATE } from '@family-watch/domain/family-cloud/contracts/folder';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';
import { FolderRepository } from '../folders/folder.repository.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { BatchPlanRepository } from './batch-plan.repository.js';
import type { TreeFolder } from './batch-plan.repository.js';
import type { BatchOutcome } from './batch-progress.js';

/** What planning has found out. */
export interface BatchPlan {
  /** Named contents that do not go with a named folder. */
  contentIds: string[];
  /** What needs no work. */
  outcome: BatchOutcome;
  total: number;
}

/** Finds out what a task is about: what lies below a named folder goes with it, once. */
@Injectable()
export class BatchPlannerService {
  constructor(
    private readonly catalogs: FolderRepository,
    private readonly plans: BatchPlanRepository,
  ) {}

  /** Stores the folders with the open unit of work; nothing is locked. */
  async plan(task: BatchTaskEntity, actor: CloudActor): Promise<BatchPlan> {
    const { cloudId, taskId, taskType } = task;
    const trees = await this.treesOf(task);
    const moves = taskType === BATCH_TASK_TYPE.MOVE;
    const folders = moves ? trees.tops : trees.folders;
    const planned = folders.map(({ folderId }) => folderId);
    if (folders.length > 0) await this.plans.insertFolders(taskId, positioned(folders, trees.tops));
    const along = await this.plans.findDescendants(
      task,
      trees.tops.map(({ folderId }) => folderId),
      actor.visibility,
    );
    const contentIds = task.contentIds.filter((id) => !along.has(id));
    const inFolders = moves ? 0 : await this.plans.countContents(cloudId, planned, actor.visibility);
    const outcome = {
      done: trees.done + (moves ? along.size + trees.nested : 0),
      failed: trees.unknown,
    };
    const settled = task.done + task.failed + outcome.done + outcome.failed.length;
    return { contentIds, outcome, total: settled + planned.length + inFolders + contentIds.length };
  }

  /** The named folders in the order in which they were named, and what is below them. */
  private async treesOf({ cloudId, folderIds, taskType }: BatchTaskEntity) {
    const named = folderIds.length === 0 ? [] : await this.catalogs.findMany(cloudId, folderIds);
    const active = named.filter(({ state }) => state === FOLDER_STATE.ACTIVE);
    const ids = new Set(active.map(({ folderId }) => folderId));
    const order = new Map(folderIds.map((id, index) => [id, index]));
    const tops = active
      .filter(({ pathIds }) => !pathIds.slice(0, -1).some((id) => ids.has(id)))
      .sort((a, b) => (order.get(a.folderId) ?? 0) - (order.get(b.folderId) ?? 0));
    // What is deleted already need not be deleted: a repetition converges.
    const gone = taskType === BATCH_TASK_TYPE.DELETE ? named.filter(({ state }) => state !== FOLDER_STATE.ACTIVE) : [];
    const known = new Set([...ids, ...gone.map(({ folderId }) => folderId)]);
    return {
      tops,
      nested: active.length - tops.length,
      done: gone.length,
      unknown: folderIds.filter((id) => !known.has(id)),
      folders:
        tops.length === 0
          ? []
          : await this.plans.findTrees(
              cloudId,
              tops.map(({ folderId }) => folderId),
            ),
    };
  }
}

/** One named folder after the other, each from above downwards. */
function positioned(folders: readonly TreeFolder[], tops: readonly TreeFolder[]) {
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
