import { Injectable } from '@nestjs/common';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { isReferencedSql } from '../storage.sql.js';

const { STAGED, LIVE, DELETING, GONE } = BLOB_STATE;

/** Retry delay after the first failed deletion of a blob. */
const FIRST_DELETION_RETRY_DELAY_MS = 10 * 60_000;
/** Maximum number of times that the retry delay doubles; the longest delay is 21 hours. */
const MAX_DELETION_DELAY_DOUBLINGS = 7;

/**
 * Stores the states of blobs. Every update is conditional on the old state, so that exactly one of several concurrent
 * callers succeeds.
 */
@Injectable()
export class BlobRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  async insertStaged(cloudId: string, blobKey: string, now: number): Promise<void> {
    await this.unitOfWork.manager.insert(BlobEntity, { blobKey, cloudId, state: STAGED, stateSince: now });
  }

  /** Makes a staged blob live. Returns false when the blob is no longer staged because it was abandoned before. */
  async makeLive(
    cloudId: string,
    blobKey: string,
    { size, digest, now }: { size: number; digest: string; now: number },
  ): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      BlobEntity,
      { blobKey, cloudId, state: STAGED },
      { state: LIVE, stateSince: now, size, digest },
    );
    return affected === 1;
  }

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

  async markGone(blobKey: string, now: number): Promise<void> {
    await this.unitOfWork.manager.update(BlobEntity, { blobKey, state: DELETING }, { state: GONE, stateSince: now });
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
}
