import { Injectable } from '@nestjs/common';
import { FOLDER_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { FolderRepository } from '../files/folders/folder.repository.js';
import { FolderTreeService } from '../files/folders/folder-tree.service.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { ContentDeletionService } from '../files/contents/content-deletion.service.js';
import { toBatchOutcome } from './batch-progress.js';
import type { BatchChunk, BatchOperation, BatchOutcome } from './batch-progress.js';

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
