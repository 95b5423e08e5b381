import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

/** A recycle bin that is being emptied. Times in Unix milliseconds. */
export interface RecycleBinEmptying {
  cloudId: string;
  requestedBy: PrincipalKey;
  /** Time up to which deleted contents are purged. */
  recycledUntil: number;
  /** Time before which all deleted contents are already purged, except contents that another transaction had locked. */
  recycledFrom: number;
}

/**
 * Stores pending requests to empty a recycle bin, which any replica can process. Each cloud has at most one row, which
 * is deleted when the recycle bin is empty.
 */
@Injectable()
export class RecycleBinEmptyingRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Inserts a request, or extends the cloud's pending request to contents that were deleted since. */
  async request({ cloudId, requestedBy, recycledUntil }: Omit<RecycleBinEmptying, 'recycledFrom'>): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.bin_emptying AS existing (cloud_id, requested_by, recycled_until) VALUES ($1, $2, $3)
       ON CONFLICT (cloud_id) DO UPDATE
         SET requested_by = excluded.requested_by,
             recycled_until = greatest(existing.recycled_until, excluded.recycled_until)`,
      [cloudId, requestedBy, recycledUntil],
    );
  }

  /** Locks the request that has been due longest until the transaction ends; skips locked rows. */
  async lockDue(now: number): Promise<RecycleBinEmptying | undefined> {
    const [row] = await this.unitOfWork.prepared.query<RecycleBinEmptying>(
      `SELECT cloud_id AS "cloudId", requested_by AS "requestedBy", recycled_until AS "recycledUntil",
              recycled_from AS "recycledFrom"
         FROM mcdisk.bin_emptying WHERE next_at <= $1 ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [now],
    );
    return row;
  }

  async saveProgress(
    cloudId: string,
    { recycledFrom, nextAt }: { recycledFrom: number; nextAt: number },
  ): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.bin_emptying SET recycled_from = $2, next_at = $3 WHERE cloud_id = $1`,
      [cloudId, recycledFrom, nextAt],
    );
  }

  async delete(cloudId: string): Promise<void> {
    await this.unitOfWork.prepared.query('DELETE FROM mcdisk.bin_emptying WHERE cloud_id = $1', [cloudId]);
  }
}
