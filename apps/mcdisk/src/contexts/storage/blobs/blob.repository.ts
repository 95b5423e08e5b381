import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { isReferencedSql } from '../storage.sql.js';

const { STAGED, DELETING, GONE } = BLOB_STATE;
/** Retry delay after the first failed deletion of a blob. */
const FIRST_DELETION_RETRY_DELAY_MS = 10 * 60_000;
/** Maximum number of times that the retry delay doubles; the longest delay is 21 hours. */
const MAX_DELETION_DELAY_DOUBLINGS = 7;

/** Result of checking one page of blobs in key order. */
export interface LiveBlobPage {
  /**
   * Keys of live blobs that seem unreferenced. The caller must lock the returned blobs and check their references
   * again.
   */
  unreferencedKeys: string[];
  /** The key after which the next page starts, or `undefined` after the last page. */
  lastKey: string | undefined;
}

/**
 * Minimum age at which bytes without a row are deleted, milliseconds. The commit of younger bytes may be in progress.
 */
export const ORPHAN_MIN_AGE_MS = 60 * 60_000;

/**
 * Stores the states of blobs. Every update is conditional on the old state, so that exactly one of several concurrent
 * callers succeeds.
 */
@Injectable()
export class BlobRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Abandons a staged blob. Returns false when the blob is live or was abandoned before; the caller must not delete the
   * bytes in this case.
   */
  async abandonStaged(cloudId: string, blobKey: string, now: number): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      BlobEntity,
      { blobKey, cloudId, state: STAGED },
      { state: DELETING, stateSince: now },
    );
    return affected === 1;
  }

  async markGone(keys: readonly string[], now: number): Promise<void> {
    const changes = { state: GONE, stateSince: now };
    await this.unitOfWork.manager.update(BlobEntity, { blobKey: Any(keys), state: DELETING }, changes);
  }

  /**
   * Abandons staged blobs of all clouds that are not referenced by an open upload or a content.
   * @returns keys of the abandoned blobs, at most `limit`
   */
  async abandonExpiredStaged(now: number, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ blob_key: string }>(
      `UPDATE mcdisk.blob SET state = 'DELETING', state_since = $1
        WHERE state = 'STAGED' AND blob_key IN (
          SELECT b.blob_key FROM mcdisk.blob b
           WHERE b.state = 'STAGED'
             AND NOT ${isReferencedSql('b')}
           ORDER BY b.blob_key LIMIT $2 FOR UPDATE OF b SKIP LOCKED)
        RETURNING blob_key`,
      [now, limit],
    );
    return rows.map(({ blob_key }) => blob_key);
  }

  /**
   * Condemns the given blobs that are no longer referenced: garbage collection deletes them after a grace period. Must
   * be called in the transaction that removed the references. Locks the blobs' rows in key order, after contents,
   * folders and uploads and before the cloud.
   * @param now Unix milliseconds
   */
  async condemnUnreferenced(blobKeys: readonly string[], now: number): Promise<number> {
    if (blobKeys.length === 0) return 0;
    await this.unitOfWork.prepared.query(
      `SELECT blob_key FROM mcdisk.blob
        WHERE blob_key = ANY ($1::uuid[]) AND state = 'LIVE' ORDER BY blob_key FOR UPDATE`,
      [blobKeys],
    );
    const rows = await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.blob b SET state = 'CONDEMNED', state_since = $2
        WHERE b.blob_key = ANY ($1::uuid[]) AND b.state = 'LIVE' AND NOT ${isReferencedSql('b')}
        RETURNING b.blob_key`,
      [blobKeys, now],
    );
    return rows.length;
  }

  /**
   * Claims blobs of all clouds whose deletion began before `since` and was not finished. Each blob is returned to one
   * caller only, and again after a delay that doubles with each failure, so that failing deletions do not block other
   * deletions.
   */
  async claimUnfinishedDeletions(since: number, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ blob_key: string }>(
      `UPDATE mcdisk.blob
          SET removals = least(removals + 1, $4), removal_after = $1::bigint + ($3::bigint << removals::int)
        WHERE blob_key IN (
          SELECT blob_key FROM mcdisk.blob
           WHERE state = 'DELETING' AND state_since < $1 AND coalesce(removal_after, state_since) < $1
           ORDER BY coalesce(removal_after, state_since) LIMIT $2 FOR UPDATE SKIP LOCKED)
        RETURNING blob_key`,
      [since, limit, FIRST_DELETION_RETRY_DELAY_MS, MAX_DELETION_DELAY_DOUBLINGS],
    );
    return rows.map(({ blob_key }) => blob_key);
  }

  /** Checks the references of the next `limit` blobs after the key `after`. */
  async findPage(after: string, limit: number): Promise<LiveBlobPage> {
    const rows = await this.unitOfWork.prepared.query<{ key: string; unreferenced: boolean }>(
      `SELECT page.blob_key AS key, page.state = 'LIVE' AND NOT ${isReferencedSql('page')} AS unreferenced
         FROM (SELECT blob_key, cloud_id, state FROM mcdisk.blob
                WHERE blob_key > $1 ORDER BY blob_key LIMIT $2) page
        ORDER BY page.blob_key`,
      [after, limit],
    );
    return {
      unreferencedKeys: rows.filter(({ unreferenced }) => unreferenced).map(({ key }) => key),
      lastKey: rows.length === limit ? rows.at(-1)?.key : undefined,
    };
  }

  /**
   * Locks blobs that were condemned before `before` and skips locked rows. Must be called in the transaction that
   * decides about the locked blobs.
   */
  async lockCondemned(before: number, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ key: string }>(
      `SELECT blob_key AS key FROM mcdisk.blob
        WHERE blob_key IN (SELECT blob_key FROM mcdisk.blob WHERE state = 'CONDEMNED' AND state_since < $1
                            ORDER BY state_since LIMIT $2)
          AND state = 'CONDEMNED' AND state_since < $1
        ORDER BY blob_key FOR UPDATE SKIP LOCKED`,
      [before, limit],
    );
    return rows.map(({ key }) => key);
  }

  /**
   * Decides about locked, condemned blobs: referenced blobs become LIVE again, all others DELETING.
   * @returns keys of the blobs to delete
   */
  async deleteOrRevive(keys: readonly string[], now: number): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ key: string; state: string }>(
      `UPDATE mcdisk.blob b
          SET state = CASE WHEN ${isReferencedSql('b')} THEN 'LIVE' ELSE 'DELETING' END, state_since = $2
        WHERE b.blob_key = ANY ($1::uuid[]) AND b.state = 'CONDEMNED'
        RETURNING b.blob_key AS key, b.state`,
      [uuidArray(keys), now],
    );
    return rows.filter(({ state }) => state === 'DELETING').map(({ key }) => key);
  }

  /**
   * Deletes the renditions of deleted sources.
   * @returns keys of the renditions' own blobs, which must be deleted as well
   */
  async deleteRenditions(sourceKeys: readonly string[], now: number): Promise<string[]> {
    const deleted = await this.unitOfWork.prepared.query<{ key: string }>(
      `DELETE FROM mcdisk.rendition WHERE source_key = ANY ($1::uuid[]) RETURNING blob_key AS key`,
      [uuidArray(sourceKeys)],
    );
    const keys = deleted.map(({ key }) => key).filter(Boolean);
    if (keys.length === 0) return [];
    const rows = await this.unitOfWork.prepared.query<{ key: string }>(
      `UPDATE mcdisk.blob SET state = 'DELETING', state_since = $2
        WHERE blob_key = ANY ($1::uuid[]) AND state IN ('STAGED', 'LIVE', 'CONDEMNED') RETURNING blob_key AS key`,
      [uuidArray(keys), now],
    );
    return rows.map(({ key }) => key);
  }

  /** Returns the keys whose bytes are not needed, because the key has no row or a row in state GONE. */
  async findUnknown(keys: readonly string[]): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ key: string }>(
      `SELECT key FROM unnest($1::uuid[]) AS key
        WHERE NOT EXISTS (SELECT FROM mcdisk.blob b WHERE b.blob_key = key AND b.state <> 'GONE')`,
      [uuidArray(keys)],
    );
    return rows.map(({ key }) => key);
  }

  /** Deletes rows of blobs that have been GONE since before `before` and are not referenced. */
  async deleteTombstones(before: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.blob WHERE blob_key IN (
         SELECT b.blob_key FROM mcdisk.blob b
          WHERE b.state = 'GONE' AND b.state_since < $1
            AND NOT EXISTS (SELECT FROM mcdisk.content c WHERE c.cloud_id = b.cloud_id AND c.blob_key = b.blob_key)
            AND NOT EXISTS (SELECT FROM mcdisk.upload u WHERE u.blob_key = b.blob_key)
            AND NOT EXISTS (SELECT FROM mcdisk.rendition r WHERE b.blob_key IN (r.source_key, r.blob_key))
          ORDER BY b.state_since LIMIT $2 FOR UPDATE OF b SKIP LOCKED)
       RETURNING blob_key`,
      [before, limit],
    );
    return rows.length;
  }
}
