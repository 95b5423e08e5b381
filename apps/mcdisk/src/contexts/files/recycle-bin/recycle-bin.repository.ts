import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import type { FindOptionsWhere } from 'typeorm';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { ContentEntity, RecycleBinEmptyingEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { PRESENTED_COLUMNS, visibilityCondition, visibilityParameters } from '../../clouds/clouds.sql.js';
import type { PresentedContent } from '../../clouds/clouds.sql.js';
import { LOCKED_COLUMNS, REQUEST_EMPTYING } from '../contents/contents.sql.js';
import type { LockedContent } from '../contents/content.repository.js';

/**
 * A locked content with its deletion and expiry times, Unix milliseconds; the next page of a run starts at one of these
 * times.
 */
export type ClaimedContent = LockedContent & { recycledAt: number; purgeAt: number };

/** A content in a list of the recycle bin. Times in Unix milliseconds. */
export type ListedRecycleBinContent = PresentedContent & { recycledAt: number; purgeAt: number };

/** The recycle bin of a cloud, restricted to the contents that a member may see. */
export interface VisibleRecycleBin {
  cloudId: string;
  visibility: Visibility;
}

/** Lists and locks contents in recycle bins. */
@Injectable()
export class RecycleBinRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Returns one page of the visible contents, last deleted first. */
  findPage(
    { cloudId, visibility }: VisibleRecycleBin,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<ListedRecycleBinContent[]> {
    return this.unitOfWork.prepared.query<ListedRecycleBinContent>(
      `SELECT ${PRESENTED_COLUMNS}, recycled_at AS "recycledAt", purge_at AS "purgeAt"
         FROM mcdisk.content WHERE cloud_id = $1 AND state = 'RECYCLED' AND ${visibilityCondition('cid', 2)}
        ORDER BY recycled_at DESC, content_id LIMIT $4::bigint OFFSET $5::bigint`,
      [cloudId, ...visibilityParameters(visibility), limit, offset],
    );
  }

  async countVisible({ cloudId, visibility }: VisibleRecycleBin): Promise<number> {
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(
      `SELECT count(*) AS count FROM mcdisk.content
        WHERE cloud_id = $1 AND state = 'RECYCLED' AND ${visibilityCondition('cid', 2)}`,
      [cloudId, ...visibilityParameters(visibility)],
    );
    return row?.count ?? 0;
  }

  count(cloudId: string, recycledUntil: number): Promise<number> {
    return this.unitOfWork.manager.countBy(ContentEntity, recycledIn(cloudId, recycledUntil));
  }

  hasAny(cloudId: string, recycledUntil: number): Promise<boolean> {
    return this.unitOfWork.manager.existsBy(ContentEntity, recycledIn(cloudId, recycledUntil));
  }

  /**
   * Locks the next contents of a cloud's recycle bin in the order of their deletion. Skips locked rows and so never
   * waits.
   * @param from, until limits of the deletion time, both inclusive, Unix milliseconds
   */
  async claim(
    cloudId: string,
    { from, until, limit }: { from: number; until: number; limit: number },
  ): Promise<ClaimedContent[]> {
    return this.unitOfWork.prepared.query<ClaimedContent>(
      `SELECT ${LOCKED_COLUMNS}, recycled_at AS "recycledAt", purge_at AS "purgeAt" FROM mcdisk.content
        WHERE cloud_id = $1 AND state = 'RECYCLED' AND recycled_at BETWEEN $2 AND $3
        ORDER BY recycled_at LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED`,
      [cloudId, from, until, limit],
    );
  }

  /**
   * Locks expired contents of all clouds in the order of their expiry, and skips locked rows. `from` and `until` limit
   * the expiry time, both inclusive.
   */
  async claimExpired({
    from,
    until,
    limit,
  }: {
    from: number;
    until: number;
    limit: number;
  }): Promise<ClaimedContent[]> {
    return this.unitOfWork.prepared.query<ClaimedContent>(
      `SELECT ${LOCKED_COLUMNS}, recycled_at AS "recycledAt", purge_at AS "purgeAt" FROM mcdisk.content
        WHERE state = 'RECYCLED' AND purge_at BETWEEN $1 AND $2
        ORDER BY purge_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`,
      [from, until, limit],
    );
  }

  /** Inserts a request, or extends the cloud's pending request to contents that were deleted since. */
  async requestEmptying({
    cloudId,
    requestedBy,
    recycledUntil,
  }: Pick<RecycleBinEmptyingEntity, 'cloudId' | 'requestedBy' | 'recycledUntil'>): Promise<void> {
    await this.unitOfWork.executor.query(REQUEST_EMPTYING, [cloudId, requestedBy, recycledUntil]);
  }

  /** Locks the request that has been due longest until the transaction ends; skips locked rows. */
  lockDueEmptying(now: number): Promise<RecycleBinEmptyingEntity | null> {
    return this.unitOfWork.manager.findOne(RecycleBinEmptyingEntity, {
      where: { nextAt: LessThanOrEqual(now) },
      order: { nextAt: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  async saveEmptyingProgress(
    cloudId: string,
    progress: Pick<RecycleBinEmptyingEntity, 'recycledFrom' | 'nextAt'>,
  ): Promise<void> {
    await this.unitOfWork.manager.update(RecycleBinEmptyingEntity, { cloudId }, progress);
  }

  async deleteEmptying(cloudId: string): Promise<void> {
    await this.unitOfWork.manager.delete(RecycleBinEmptyingEntity, { cloudId });
  }
}

function recycledIn(cloudId: string, recycledUntil: number): FindOptionsWhere<ContentEntity> {
  return { cloudId, state: CONTENT_STATE.RECYCLED, recycledAt: LessThanOrEqual(recycledUntil) };
}
