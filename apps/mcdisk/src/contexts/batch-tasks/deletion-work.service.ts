import { Injectable } from '@nestjs/common';
import { FOLDER_STATE } from '@family-watch/domain/family-cloud/contracts/folder';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';
import { CatalogRepository } from '../catalogs/catalog.repository.js';
import { CatalogTree } from '../catalogs/catalog-tree.service.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { DeletionService } from '../contents/deletion.service.js';
import { outcomeOf } from './batch-part.js';
import type { BatchPart, BatchWork } from './batch-part.js';
import type { BatchOutcome } from './batch-progress.js';

/** Contents go to the recycle bin, as by deleteContents; folders that are empty then are deleted. */
@Injectable()
export class DeletionWork implements BatchWork {
  constructor(
    private readonly deletion: DeletionService,
    private readonly catalogs: CatalogRepository,
    private readonly tree: CatalogTree,
  ) {}

  /** What the one who deletes does not see stays, and the folders above it. */
  async folders({ cloudId }: BatchTaskEntity, _: CloudActor, { folders }: BatchPart): Promise<BatchOutcome> {
    const ids = folders.map(({ folderId }) => folderId);
    await this.tree.deleteEmpty(cloudId, ids[0] ?? '');
    const active = (await this.catalogs.findMany(cloudId, ids)).filter(({ state }) => state === FOLDER_STATE.ACTIVE);
    const left = new Set(active.map(({ folderId }) => folderId));
    return outcomeOf(ids, new Set(ids.filter((id) => !left.has(id))));
  }

  async contents(_: BatchTaskEntity, actor: CloudActor, { contents }: BatchPart): Promise<BatchOutcome> {
    const { deleted, failed } = await this.deletion.recycle(
      actor,
      contents.map(({ contentId }) => contentId),
    );
    return { done: deleted.length, failed };
  }
}
