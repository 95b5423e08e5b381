import { Injectable } from '@nestjs/common';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { UPLOAD_COLUMNS } from './uploads.sql.js';

/** An upload at the moment its lease was acquired. */
export interface LeasedUpload extends UploadEntity {
  /** The previous holder, whose lease expired, or `null` when the upload had no lease. */
  expiredHolder: string | null;
}

export interface LeaseKey {
  contentId: string;
  holder: string;
}

/** Progress of an append; `expiresAt` in Unix milliseconds. */
export interface UploadProgress {
  receivedSize: number;
  expiresAt: number;
}

/**
 * Stores leases of uploads, and the progress that only the holder of a lease may write. Each statement is conditional
 * on the holder, so that a request that has lost its lease writes nothing.
 */
@Injectable()
export class UploadLeaseRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Acquires the lease of an upload. Returns `undefined` while another request has the lease, or when the upload does
   * not exist.
   */
  async acquire({ contentId, holder }: LeaseKey, leaseMs: number): Promise<LeasedUpload | undefined> {
    const [upload] = await this.unitOfWork.prepared.query<LeasedUpload>(
      `WITH free AS (
         SELECT content_id, lock_holder FROM mcdisk.upload
          WHERE content_id = $1 AND (lock_holder IS NULL OR lock_until <= ${DATABASE_NOW_MS_SQL}) FOR UPDATE)
       UPDATE mcdisk.upload u SET lock_holder = $2, lock_until = ${DATABASE_NOW_MS_SQL} + $3::bigint, lock_wanted = false
         FROM free WHERE u.content_id = free.content_id
       RETURNING ${UPLOAD_COLUMNS}, free.lock_holder AS "expiredHolder"`,
      [contentId, holder, leaseMs],
    );
    return upload;
  }

  /** Requests that the current holder stops and releases the lease. */
  async requestRelease(contentId: string): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.upload SET lock_wanted = true
        WHERE content_id = $1 AND lock_holder IS NOT NULL AND NOT lock_wanted`,
      [contentId],
    );
  }

  /**
   * Renews the lease and returns whether another request waits for it. Returns `undefined` when the lease is lost or
   * the upload has ended.
   */
  async renew({ contentId, holder }: LeaseKey, leaseMs: number): Promise<{ releaseRequested: boolean } | undefined> {
    const [row] = await this.unitOfWork.prepared.query<{ releaseRequested: boolean }>(
      `UPDATE mcdisk.upload SET lock_until = ${DATABASE_NOW_MS_SQL} + $3::bigint
        WHERE content_id = $1 AND lock_holder = $2 AND state IN ('PENDING', 'RECEIVING')
        RETURNING lock_wanted AS "releaseRequested"`,
      [contentId, holder, leaseMs],
    );
    return row;
  }

  /**
   * Releases the lease.
   * @param asExpired marks the lease as expired instead of free, so that the next holder takes over the bytes; used
   * while an earlier holder may still write
   */
  async release({ contentId, holder }: LeaseKey, asExpired: boolean): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.upload
          SET lock_holder = CASE WHEN $3::boolean THEN lock_holder END,
              lock_until = CASE WHEN $3::boolean THEN 0 END, lock_wanted = false
        WHERE content_id = $1 AND lock_holder = $2`,
      [contentId, holder, asExpired],
    );
  }

  /** Creates the row of the blob, before the first byte is stored. Returns false when the lease is lost. */
  async startReceiving(
    { contentId, holder }: LeaseKey,
    blobKey: string,
    times: { now: number; expiresAt: number },
  ): Promise<boolean> {
    const rows = await this.unitOfWork.prepared.query(
      `WITH started AS (
         UPDATE mcdisk.upload SET state = 'RECEIVING', blob_key = $3, received_size = 0, expires_at = $5
          WHERE content_id = $1 AND lock_holder = $2 AND state IN ('PENDING', 'RECEIVING')
          RETURNING cloud_id)
       INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since)
       SELECT $3::uuid, cloud_id, 'STAGED', $4::bigint FROM started
       RETURNING blob_key`,
      [contentId, holder, blobKey, times.now, times.expiresAt],
    );
    return rows.length === 1;
  }

  /** Records the number of durable bytes. Returns false when the lease is lost. */
  async recordProgress({ contentId, holder }: LeaseKey, { receivedSize, expiresAt }: UploadProgress): Promise<boolean> {
    const rows = await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.upload SET received_size = $3, expires_at = $4
        WHERE content_id = $1 AND lock_holder = $2 AND state = 'RECEIVING'
        RETURNING content_id`,
      [contentId, holder, receivedSize, expiresAt],
    );
    return rows.length === 1;
  }
}
