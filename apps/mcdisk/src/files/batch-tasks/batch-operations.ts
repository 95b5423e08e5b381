import { Injectable } from '@nestjs/common';
import { CONTENT_STATE, FOLDER_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type {
  BatchTaskEntity,
  BatchTaskFolderEntity,
} from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { McdiskOutbox } from '../../infrastructure/mcdisk-infrastructure.js';
import { FolderRepository } from '../folders/folder.repository.js';
import { FolderTreeService } from '../folders/folder-tree.service.js';
import { canSee, hasRight, type CloudActor } from '../../clouds/cloud-actor.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import {
  toBatchOutcome,
  type BatchChunk,
  type BatchOperation,
  type ChunkContent,
  type BatchOutcome,
} from './batch-progress.js';
import { BatchTaskRepository } from './batch-task.repository.js';
import { BatchContentRepository, type CopiedContent } from './batch-content.repository.js';
import { ContentDeletionService } from '../contents/content-deletion.service.js';
import { FolderService } from '../folders/folder.service.js';

/** Copies contents. A copy is a separate content with the same blob; its full size counts against the quota. */
@Injectable()
export class CopyOperationService implements BatchOperation {
  constructor(
    private readonly contents: BatchContentRepository,
    private readonly plans: BatchTaskRepository,
    private readonly folders: FolderRepository,
    private readonly tree: FolderTreeService,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
  ) {}

  /** @throws ServiceError CATALOG_NOT_FOUND, CATALOG_EXISTS, LIMIT_REACHED */
  async processFolders(task: BatchTaskEntity, actor: CloudActor, { folders }: BatchChunk): Promise<BatchOutcome> {
    for (const planned of folders) {
      const folder = await this.folders.findActive(task.cloudId, planned.folderId);
      const parent = await this.findParentTarget(task, planned);
      if (!folder || parent === undefined) throw new ServiceError('CATALOG_NOT_FOUND');
      const copy = { parentFolderId: parent, name: folder.name, createdBy: actor.principal };
      const { folderId } = await this.tree.create(task.cloudId, copy);
      await this.plans.setTarget(planned, folderId);
    }
    return { doneCount: folders.length, failedIds: [] };
  }

  /** @throws ServiceError QUOTA_EXCEEDED, LIMIT_REACHED */
  async processContents({ cloudId }: BatchTaskEntity, actor: CloudActor, chunk: BatchChunk): Promise<BatchOutcome> {
    const ids = chunk.contents.map(({ contentId }) => contentId);
    const locked = await this.contents.lockForShare(cloudId, ids);
    const sources = new Map(locked.filter(isCopyable(actor)).map((content) => [content.contentId, content]));
    const activeTargets = await this.lockTargets(cloudId, chunk.contents);
    const now = Date.now();
    const blobKeys = await this.contents.lockBlobs(cloudId, keysOf([...sources.values()]), now);
    const targets = chunk.contents.flatMap(({ contentId, targetId }) => {
      const exists = blobKeys.has(sources.get(contentId)?.blobKey ?? '');
      return exists && targetId !== undefined && activeTargets.has(targetId) ? [{ contentId, targetId }] : [];
    });
    const contentIDs = await this.contents.copy(cloudId, targets, { uploader: actor.principal, now });
    const size = targets.reduce((sum, { contentId }) => sum + (sources.get(contentId)?.size ?? 0), 0);
    if (contentIDs.length > 0) await this.chargeQuota(actor, { contentIDs, size, now });
    return toBatchOutcome(ids, new Set(targets.map(({ contentId }) => contentId)));
  }

  private async chargeQuota(
    { cloudId, principal }: CloudActor,
    { contentIDs, size, now }: { contentIDs: string[]; size: number; now: number },
  ): Promise<void> {
    const failure = await this.clouds.charge(cloudId, { count: contentIDs.length, bytes: size }, now);
    if (failure) throw new ServiceError(failure);
    await this.outbox.appendContentEvent('mcdisk.content.added', { cloudID: cloudId, contentIDs, by: principal });
  }

  /**
   * Returns the id of the folder in which the copy of the planned folder is created: the copy of its parent, or the
   * task's destination (`null` for the root). Returns `undefined` when the parent could not be copied.
   */
  private async findParentTarget(
    { destFolderId }: BatchTaskEntity,
    { taskId, parentPosition }: BatchTaskFolderEntity,
  ): Promise<string | null | undefined> {
    if (parentPosition === null) return destFolderId;
    return (await this.plans.findFolder(taskId, parentPosition))?.targetFolderId ?? undefined;
  }

  /** Locks the active target folders for share, so that they stay active until commit. */
  private async lockTargets(cloudId: string, contents: readonly ChunkContent[]): Promise<Set<string | null>> {
    const ids = new Set(contents.flatMap(({ targetId }) => targetId ?? []));
    const activeTargets = new Set<string | null>([null]);
    for (const id of [...ids].sort()) {
      if (await this.folders.lockActiveForShare(cloudId, id)) activeTargets.add(id);
    }
    return activeTargets;
  }
}

function isCopyable(actor: CloudActor): (content: CopiedContent) => boolean {
  return ({ state, cid }) => state === CONTENT_STATE.ACTIVE && canSee(actor, cid);
}

function keysOf(contents: readonly CopiedContent[]): string[] {
  return contents.flatMap(({ blobKey }) => blobKey ?? []);
}

/** Moves contents to the recycle bin, as `deleteContents` does, and deletes the folders that are empty afterwards. */
@Injectable()
export class DeleteOperationService implements BatchOperation {
  constructor(
    private readonly deletion: ContentDeletionService,
    private readonly folders: FolderRepository,
    private readonly tree: FolderTreeService,
  ) {}

  /**
   * Deletes empty folders. Contents that are not visible to the actor are not deleted, and neither are the folders that
   * contain them.
   */
  async processFolders({ cloudId }: BatchTaskEntity, _: CloudActor, { folders }: BatchChunk): Promise<BatchOutcome> {
    const ids = folders.map(({ folderId }) => folderId);
    await this.tree.deleteEmpty(cloudId, ids[0] ?? '');
    const active = (await this.folders.findMany(cloudId, ids)).filter(({ state }) => state === FOLDER_STATE.ACTIVE);
    const remaining = new Set(active.map(({ folderId }) => folderId));
    return toBatchOutcome(ids, new Set(ids.filter((id) => !remaining.has(id))));
  }

  async processContents(_: BatchTaskEntity, actor: CloudActor, { contents }: BatchChunk): Promise<BatchOutcome> {
    const { deletedIds, failedIds } = await this.deletion.recycle(
      actor,
      contents.map(({ contentId }) => contentId),
    );
    return { doneCount: deletedIds.length, failedIds };
  }
}

/** Moves contents and folders. The actor needs the right to delete, except for items that they created or uploaded. */
@Injectable()
export class MoveOperationService implements BatchOperation {
  constructor(
    private readonly contents: BatchContentRepository,
    private readonly folders: FolderRepository,
    private readonly folderService: FolderService,
    private readonly tree: FolderTreeService,
  ) {}

  /** @throws ServiceError CATALOG_NOT_FOUND, PERMISSION_MISSING, CATALOG_CYCLE, CATALOG_EXISTS, LIMIT_REACHED */
  async processFolders(task: BatchTaskEntity, actor: CloudActor, { folders }: BatchChunk): Promise<BatchOutcome> {
    const { cloudId, destFolderId } = task;
    for (const { folderId } of folders) {
      const folder = await this.folders.findActive(cloudId, folderId);
      if (!folder) throw new ServiceError('CATALOG_NOT_FOUND');
      if (folder.createdBy !== actor.principal && !hasRight(actor, CLOUD_RIGHT.DELETE)) {
        throw new ServiceError('PERMISSION_MISSING');
      }
      await this.tree.move(cloudId, folderId, destFolderId);
    }
    return { doneCount: folders.length, failedIds: [] };
  }

  /** @throws ServiceError CATALOG_NOT_FOUND for the destination */
  async processContents(task: BatchTaskEntity, actor: CloudActor, { contents }: BatchChunk): Promise<BatchOutcome> {
    const { cloudId, destFolderId } = task;
    const ids = contents.map(({ contentId }) => contentId);
    const found = await this.contents.lock(cloudId, ids);
    await this.folderService.lockForShare(cloudId, { catalogID: destFolderId ?? '' });
    const moved = found.filter(
      ({ state, cid, uploader }) =>
        state === CONTENT_STATE.ACTIVE &&
        canSee(actor, cid) &&
        (uploader === actor.principal || hasRight(actor, CLOUD_RIGHT.DELETE)),
    );
    const movedIds = moved.map(({ contentId }) => contentId);
    await this.contents.move(cloudId, movedIds, destFolderId);
    return toBatchOutcome(ids, new Set(movedIds));
  }
}
