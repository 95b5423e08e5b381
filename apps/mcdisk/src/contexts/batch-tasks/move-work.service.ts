import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CatalogLookup } from '../catalogs/catalog-lookup.service.js';
import { CatalogRepository } from '../catalogs/catalog.repository.js';
import { CatalogTree } from '../catalogs/catalog-tree.service.js';
import { mayIn, sees } from '../clouds/cloud.access.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { outcomeOf } from './batch-part.js';
import type { BatchPart, BatchWork } from './batch-part.js';
import type { BatchOutcome } from './batch-progress.js';
import { PlacedContentRepository } from './placed-content.repository.js';

/** Whoever may delete may move, and what somebody made or added themselves they may move too. */
@Injectable()
export class MoveWork implements BatchWork {
  constructor(
    private readonly contentsOf: PlacedContentRepository,
    private readonly catalogs: CatalogRepository,
    private readonly lookup: CatalogLookup,
    private readonly tree: CatalogTree,
  ) {}

  /** @throws ServiceError CATALOG_NOT_FOUND, PERMISSION_MISSING, CATALOG_CYCLE, CATALOG_EXISTS, LIMIT_REACHED */
  async folders(task: BatchTaskEntity, actor: CloudActor, { folders }: BatchPart): Promise<BatchOutcome> {
    const { cloudId, destFolderId } = task;
    for (const { folderId } of folders) {
      const catalog = await this.catalogs.findActive(cloudId, folderId);
      if (!catalog) throw new ServiceError('CATALOG_NOT_FOUND');
      if (catalog.createdBy !== actor.principal && !mayIn(actor, CLOUD_RIGHT.DELETE)) {
        throw new ServiceError('PERMISSION_MISSING');
      }
      await this.tree.move(cloudId, folderId, destFolderId);
    }
    return { done: folders.length, failed: [] };
  }

  /** @throws ServiceError CATALOG_NOT_FOUND for the destination */
  async contents(task: BatchTaskEntity, actor: CloudActor, { contents }: BatchPart): Promise<BatchOutcome> {
    const { cloudId, destFolderId } = task;
    const ids = contents.map(({ contentId }) => contentId);
    const found = await this.contentsOf.lock(cloudId, ids);
    await this.lookup.hold(cloudId, { catalogID: destFolderId ?? '' });
    const moved = found.filter(
      ({ state, cid, uploader }) =>
        state === CONTENT_STATE.ACTIVE &&
        sees(actor, cid) &&
        (uploader === actor.principal || mayIn(actor, CLOUD_RIGHT.DELETE)),
    );
    const movedIds = moved.map(({ contentId }) => contentId);
    await this.contentsOf.move(cloudId, movedIds, destFolderId);
    return outcomeOf(ids, new Set(movedIds));
  }
}
