import { Injectable } from '@nestjs/common';
import { LessThanOrEqual, type FindOptionsWhere } from 'typeorm';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { ContentEntity, RecycleBinEmptyingEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { visibilityParameters, visibilityCondition } from '../../clouds/visibility-condition.js';
import { PRESENTED_COLUMNS, LOCKED_COLUMNS, type PresentedContent } from '../../clouds/content-columns.js';
import type { LockedContent } from '../contents/content.repository.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const REQUEST_EMPTYING = `
  INSERT INTO mcdisk.bin_emptying AS existing (cloud_id, requested_by, recycled_until) VALUES ($1, $2, $3)
  ON CONFLICT (cloud_id) DO UPDATE
    SET requested_by = excluded.requested_by,
        recycled_until = greatest(existing.recycled_until, excluded.recycled_until)`;

const LIST_RECYCLED = prepared(`
  SELECT ${PRESENTED_COLUMNS}, recycled_at AS "recycledAt", purge_at AS "purgeAt"
    FROM mcdisk.content WHERE cloud_id = $1 AND state = 'RECYCLED' AND ${visibilityCondition('cid', 2)}
   ORDER BY recycled_at DESC, content_id LIMIT $4::bigint OFFSET $5::bigint`);

const COUNT_RECYCLED = prepared(`
  SELECT count(*) AS count FROM mcdisk.content
   WHERE cloud_id = $1 AND state = 'RECYCLED' AND ${visibilityCondition('cid', 2)}`);

const CLAIM_RECYCLED = prepared(`
  SELECT ${LOCKED_COLUMNS}, recycled_at AS "recycledAt", purge_at AS "purgeAt" FROM mcdisk.content
   WHERE cloud_id = $1 AND state = 'RECYCLED' AND recycled_at BETWEEN $2 AND $3
   ORDER BY recycled_at LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED`);

const LOCK_DUE_EMPTYING = prepared(`
  SELECT cloud_id AS "cloudId", requested_by AS "requestedBy", recycled_until AS "recycledUntil",
         recycled_from AS "recycledFrom"
    FROM mcdisk.bin_emptying WHERE next_at <= $1 ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`);

const SAVE_EMPTYING_PROGRESS = prepared(
  'UPDATE mcdisk.bin_emptying SET recycled_from = $2, next_at = $3 WHERE cloud_id = $1',
);

const CLAIM_EXPIRED = prepared(`
  SELECT ${LOCKED_COLUMNS}, recycled_at AS "recycledAt", purge_at AS "purgeAt" FROM mcdisk.content
   WHERE state = 'RECYCLED' AND purge_at BETWEEN $1 AND $2
   ORDER BY purge_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`);

/**
 * A locked content with its deletion and expiry times, Unix milliseconds; the next page of a run starts at one of these
 * times.
 */
export type ClaimedContent = LockedContent & { recycledAt: number; purgeAt: number };

/** A requested emptying of a recycle bin, without the time of its next batch. */
export type RecycleBinEmptying = Omit<RecycleBinEmptyingEntity, 'nextAt'>;

/** Limits of the times and the number of claimed contents; the times are inclusive, Unix milliseconds. */
interface ClaimedRange {
  from: number;
  until: number;
  limit: number;
}

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
    return this.unitOfWork.executor.query<ListedRecycleBinContent>(LIST_RECYCLED, [
      cloudId,
      ...visibilityParameters(visibility),
      limit,
      offset,
    ]);
  }

  async countVisible({ cloudId, visibility }: VisibleRecycleBin): Promise<number> {
    const [row] = await this.unitOfWork.executor.query<{ count: number }>(COUNT_RECYCLED, [
      cloudId,
      ...visibilityParameters(visibility),
    ]);
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
   * waits. `from` and `until` limit the deletion time.
   */
  claim(cloudId: string, { from, until, limit }: ClaimedRange): Promise<ClaimedContent[]> {
    return this.unitOfWork.executor.query<ClaimedContent>(CLAIM_RECYCLED, [cloudId, from, until, limit]);
  }

  /**
   * Locks expired contents of all clouds in the order of their expiry, and skips locked rows. `from` and `until` limit
   * the expiry time.
   */
  claimExpired({ from, until, limit }: ClaimedRange): Promise<ClaimedContent[]> {
    return this.unitOfWork.executor.query<ClaimedContent>(CLAIM_EXPIRED, [from, until, limit]);
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
  async lockDueEmptying(now: number): Promise<RecycleBinEmptying | undefined> {
    const [emptying] = await this.unitOfWork.executor.query<RecycleBinEmptying>(LOCK_DUE_EMPTYING, [now]);
    return emptying;
  }

  async saveEmptyingProgress(
    cloudId: string,
    { recycledFrom, nextAt }: Pick<RecycleBinEmptyingEntity, 'recycledFrom' | 'nextAt'>,
  ): Promise<void> {
    await this.unitOfWork.executor.query(SAVE_EMPTYING_PROGRESS, [cloudId, recycledFrom, nextAt]);
  }

  async deleteEmptying(cloudId: string): Promise<void> {
    await this.unitOfWork.manager.delete(RecycleBinEmptyingEntity, { cloudId });
  }
}

function recycledIn(cloudId: string, recycledUntil: number): FindOptionsWhere<ContentEntity> {
  return { cloudId, state: CONTENT_STATE.RECYCLED, recycledAt: LessThanOrEqual(recycledUntil) };
}
