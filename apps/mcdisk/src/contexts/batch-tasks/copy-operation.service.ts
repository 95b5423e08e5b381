import { Injectable } from '@nestjs/common';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';
import type { BatchTaskFolderEntity } from '@family-watch/domain/family-cloud/entities/batch-task-folder.entity';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskOutbox } from '../../infrastructure/mcdisk.outbox.js';
import { FolderRepository } from '../folders/folder.repository.js';
import { FolderTreeService } from '../folders/folder-tree.service.js';
import { canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { contentEvents } from '../contents/content-events.js';
import { toBatchOutcome } from './batch-chunk.js';
import type { BatchChunk, BatchOperation, ChunkContent } from './batch-chunk.js';
import { BatchPlanRepository } from './batch-plan.repository.js';
import type { BatchOutcome } from './batch-progress.js';
import { BatchContentRepository } from './batch-content.repository.js';
import type { CopiedContent } from './batch-content.repository.js';

/** Copies are contents of their own on the bytes of others; they count against the quota in full. */
@Injectable()
export class CopyOperationService implements BatchOperation {
  constructor(
    private readonly contentsOf: BatchContentRepository,
    private readonly plans: BatchPlanRepository,
    private readonly catalogs: FolderRepository,
    private readonly tree: FolderTreeService,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
  ) {}

  /** @throws ServiceError CATALOG_NOT_FOUND, CATALOG_EXISTS, LIMIT_REACHED */
  async processFolders(
    task: BatchTaskEntity,
    actor: CloudActor,
    { folders }: BatchChunk,
  ): Promise<BatchOutcome> {
    for (const folder of folders) {
      const catalog = await this.catalogs.findActive(task.cloudId, folder.folderId);
      const parent = await this.targetAbove(task, folder);
      if (!catalog || parent === undefined) throw new ServiceError('CATALOG_NOT_FOUND');
      const made = { parentFolderId: parent, name: catalog.name, createdBy: actor.principal };
      const { folderId } = await this.tree.create(task.cloudId, made);
      await this.plans.setTarget(folder, folderId);
    }
    return { done: folders.length, failed: [] };
  }

  /** @throws ServiceError QUOTA_EXCEEDED, LIMIT_REACHED */
  async processContents({ cloudId }: BatchTaskEntity, actor: CloudActor, part: BatchChunk): Promise<BatchOutcome> {
    const ids = part.contents.map(({ contentId }) => contentId);
    const held = await this.contentsOf.lockForShare(cloudId, ids);
    const sources = new Map(held.filter(isCopied(actor)).map((content) => [content.contentId, content]));
    const standing = await this.heldTargets(cloudId, part.contents);
    const now = Date.now();
    const bytes = await this.contentsOf.lockBlobs(cloudId, keysOf([...sources.values()]), now);
    const targets = part.contents.flatMap(({ contentId, targetId }) => {
      const isThere = bytes.has(sources.get(contentId)?.blobKey ?? '');
      return isThere && targetId !== undefined && standing.has(targetId) ? [{ contentId, targetId }] : [];
    });
    const contentIDs = await this.contentsOf.copy(cloudId, targets, { uploader: actor.principal, now });
    const size = targets.reduce((sum, { contentId }) => sum + (sources.get(contentId)?.size ?? 0), 0);
    if (contentIDs.length > 0) await this.account(actor, { contentIDs, size, now });
    return toBatchOutcome(ids, new Set(targets.map(({ contentId }) => contentId)));
  }

  private async account(
    { cloudId, principal }: CloudActor,
    { contentIDs, size, now }: { contentIDs: string[]; size: number; now: number },
  ): Promise<void> {
    const full = await this.clouds.charge(cloudId, { count: contentIDs.length, bytes: size }, now);
    if (full) throw new ServiceError(full);
    await this.outbox.appendMany(
      contentEvents('mcdisk.content.added', { cloudID: cloudId, contentIDs, by: principal }),
    );
  }

  /** The copy of the folder above, or the destination; `undefined` where the one above could not be made. */
  private async targetAbove(
    { destFolderId }: BatchTaskEntity,
    { taskId, parentPosition }: BatchTaskFolderEntity,
  ): Promise<string | null | undefined> {
    if (parentPosition === null) return destFolderId;
    return (await this.plans.findFolder(taskId, parentPosition))?.targetFolderId ?? undefined;
  }

  /** Those of the folders that are there, and stay until the unit of work ends. */
  private async heldTargets(cloudId: string, contents: readonly ChunkContent[]): Promise<Set<string | null>> {
    const ids = new Set(contents.flatMap(({ targetId }) => targetId ?? []));
    const standing = new Set<string | null>([null]);
    for (const id of [...ids].sort()) {
      if (await this.catalogs.lockActiveForShare(cloudId, id)) standing.add(id);
    }
    return standing;
  }
}

function isCopied(actor: CloudActor): (content: CopiedContent) => boolean {
  return ({ state, cid }) => state === CONTENT_STATE.ACTIVE && canSee(actor, cid);
}

function keysOf(contents: readonly CopiedContent[]): string[] {
  return contents.flatMap(({ blobKey }) => blobKey ?? []);
}
