import { Injectable } from '@nestjs/common';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type {
  BatchTaskEntity,
  BatchTaskFolderEntity,
} from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskOutbox } from '../../infrastructure/mcdisk-infrastructure.js';
import { FolderRepository } from '../files/folders/folder.repository.js';
import { FolderTreeService } from '../files/folders/folder-tree.service.js';
import { canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { toBatchOutcome } from './batch-progress.js';
import type { BatchChunk, BatchOperation, ChunkContent, BatchOutcome } from './batch-progress.js';
import { BatchTaskRepository } from './batch-task.repository.js';
import { BatchContentRepository } from './batch-content.repository.js';
import type { CopiedContent } from './batch-content.repository.js';

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
