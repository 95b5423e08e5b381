import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { SelectQueryBuilder } from 'typeorm';
import {
  CONTENT_SORT,
  CONTENT_STATE,
  RECYCLE_RETENTION_MS,
  SORT_DIRECTION,
} from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentSort, SortDirection } from '@family-watch/domain/family-cloud/contracts/content';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { Sight } from '../clouds/cloud.access.js';

export interface ContentListing {
  parentCatalogId: string | null;
  sight: Sight;
  sort: ContentSort;
  direction: SortDirection;
  limit: number;
  offset: number;
}

const SORT_COLUMN: Readonly<Record<ContentSort, string>> = {
  [CONTENT_SORT.UPDATE_TIME]: 'content.updatedAt',
  [CONTENT_SORT.NAME]: 'content.name',
  [CONTENT_SORT.SIZE]: 'content.size',
  [CONTENT_SORT.CREATE_TIME]: 'content.createdAt',
};

@Injectable()
export class ContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  async insert(content: ContentEntity): Promise<void> {
    await this.unitOfWork.manager.insert(ContentEntity, content);
  }

  async findActive(cloudId: string, contentId: string): Promise<ContentEntity | null> {
    return this.unitOfWork.manager.findOneBy(ContentEntity, { cloudId, contentId, state: CONTENT_STATE.ACTIVE });
  }

  /** Active contents of a catalog, one page in a stable order, and how many there are on all pages. */
  findListed(cloudId: string, listing: ContentListing): Promise<[ContentEntity[], number]> {
    const direction = listing.direction === SORT_DIRECTION.ASCENDING ? 'ASC' : 'DESC';
    const query = this.unitOfWork.manager
      .createQueryBuilder(ContentEntity, 'content')
      .where({ cloudId, state: CONTENT_STATE.ACTIVE })
      .andWhere('content.parentCatalogId IS NOT DISTINCT FROM :parent', { parent: listing.parentCatalogId })
      .orderBy(SORT_COLUMN[listing.sort], direction)
      .addOrderBy('content.contentId', direction)
      .limit(listing.limit)
      .offset(listing.offset);
    return inSight(query, listing.sight).getManyAndCount();
  }

  /** Contents of the cloud among the ids, whatever their state, locked in id order. */
  lockMany(cloudId: string, contentIds: readonly string[]): Promise<ContentEntity[]> {
    return this.unitOfWork.manager.find(ContentEntity, {
      where: { cloudId, contentId: In([...contentIds]) },
      order: { contentId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async recycle(cloudId: string, contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.manager.update(
      ContentEntity,
      { cloudId, contentId: In([...contentIds]) },
      { state: CONTENT_STATE.RECYCLED, updatedAt: now, recycledAt: now, purgeAt: now + RECYCLE_RETENTION_MS },
    );
  }
}

function inSight(query: SelectQueryBuilder<ContentEntity>, { mode, cids }: Sight): SelectQueryBuilder<ContentEntity> {
  const named = mode === 'ONLY' ? 'content.cid = ANY(:cids)' : 'content.cid <> ALL(:cids)';
  return query.andWhere(`(content.cid IS NULL OR ${named})`, { cids: [...cids] });
}
