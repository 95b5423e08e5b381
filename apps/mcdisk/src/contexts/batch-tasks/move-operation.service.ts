import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { FolderService } from '../files/folders/folder.service.js';
import { FolderRepository } from '../files/folders/folder.repository.js';
import { FolderTreeService } from '../files/folders/folder-tree.service.js';
import { hasRight, canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { toBatchOutcome } from './batch-progress.js';
import type { BatchChunk, BatchOperation, BatchOutcome } from './batch-progress.js';
import { BatchContentRepository } from './batch-content.repository.js';

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
