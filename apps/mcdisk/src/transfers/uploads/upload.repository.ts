import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { UPLOAD_STATE, type UploadState } from '@family-watch/domain/family-cloud/contracts/blob';
import { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { bigintArray, textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { UPLOAD_COLUMNS } from './upload-columns.js';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';

const INSERT_UPLOADS = prepared(`
  INSERT INTO mcdisk.upload (content_id, task_id, cloud_id, principal, session_id, parent_catalog_id, token_hash, name,
                             size, digest, state, blob_key, created_at, expires_at, completed_at, received_size)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::bytea[], $8::text[],
                       $9::bigint[], $10::text[], $11::text[], $12::uuid[], $13::bigint[], $14::bigint[],
                       $15::bigint[], $16::bigint[])`);

const FIND_UPLOADS_WITH_FAMILY = prepared(`
  SELECT ${UPLOAD_COLUMNS}, p.snapshot AS family
    FROM mcdisk.upload u JOIN mcdisk.family_projection p ON p.family_id = u.cloud_id
   WHERE u.token_hash = ANY($1::bytea[])`);

const TERMINATE_UPLOADS = `
  UPDATE mcdisk.upload SET state = $2
   WHERE content_id IN (
     SELECT content_id FROM mcdisk.upload
      WHERE content_id = ANY($1::uuid[]) AND state IN ('PENDING', 'RECEIVING')
        AND ($3::uuid IS NULL OR lock_holder = $3)
      ORDER BY content_id FOR UPDATE)
   RETURNING content_id AS "contentId", cloud_id AS "cloudId", size, blob_key AS "blobKey",
             lock_holder AS "leaseHolder"`;

const EXPIRE_OVERDUE_UPLOADS = `
  UPDATE mcdisk.upload SET state = 'EXPIRED'
   WHERE content_id IN (
     SELECT content_id FROM mcdisk.upload
      WHERE state IN ('PENDING', 'RECEIVING') AND expires_at <= $1
      ORDER BY content_id LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING cloud_id AS "cloudId", size`;

const DELETE_TERMINATED_UPLOADS = `
  DELETE FROM mcdisk.upload WHERE content_id IN (
    SELECT content_id FROM mcdisk.upload
     WHERE created_at < $1 AND state NOT IN ('PENDING', 'RECEIVING') LIMIT $2)
  RETURNING content_id`;

const ACQUIRE_LEASE = prepared(`
  WITH free AS (
    SELECT content_id, lock_holder FROM mcdisk.upload
     WHERE content_id = $1 AND (lock_holder IS NULL OR lock_until <= ${DATABASE_NOW_MS_SQL}) FOR UPDATE)
  UPDATE mcdisk.upload u SET lock_holder = $2, lock_until = ${DATABASE_NOW_MS_SQL} + $3::bigint, lock_wanted = false
    FROM free WHERE u.content_id = free.content_id
  RETURNING ${UPLOAD_COLUMNS}, free.lock_holder AS "expiredHolder"`);

const REQUEST_LEASE_RELEASE = prepared(`
  UPDATE mcdisk.upload SET lock_wanted = true
   WHERE content_id = $1 AND lock_holder IS NOT NULL AND NOT lock_wanted`);

const RENEW_LEASE = prepared(`
  UPDATE mcdisk.upload SET lock_until = ${DATABASE_NOW_MS_SQL} + $3::bigint
   WHERE content_id = $1 AND lock_holder = $2 AND state IN ('PENDING', 'RECEIVING')
   RETURNING lock_wanted AS "releaseRequested"`);

const RELEASE_LEASE = prepared(`
  UPDATE mcdisk.upload
     SET lock_holder = CASE WHEN $3::boolean THEN lock_holder END,
         lock_until = CASE WHEN $3::boolean THEN 0 END, lock_wanted = false
   WHERE content_id = $1 AND lock_holder = $2`);

const START_RECEIVING = prepared(`
  WITH started AS (
    UPDATE mcdisk.upload SET state = 'RECEIVING', blob_key = $3, received_size = 0, expires_at = $5
     WHERE content_id = $1 AND lock_holder = $2 AND state IN ('PENDING', 'RECEIVING')
     RETURNING cloud_id)
  INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since)
  SELECT $3::uuid, cloud_id, 'STAGED', $4::bigint FROM started
  RETURNING blob_key`);

const RECORD_PROGRESS = prepared(`
  UPDATE mcdisk.upload SET received_size = $3, expires_at = $4
   WHERE content_id = $1 AND lock_holder = $2 AND state = 'RECEIVING'
   RETURNING content_id`);

const { PENDING, RECEIVING } = UPLOAD_STATE;

/** Identifies an upload session of one principal. */
export type UploadTaskKey = Pick<UploadEntity, 'taskId' | 'cloudId' | 'principal'>;

/** An upload with the current projection of its family. */
export interface UploadWithFamily extends UploadEntity {
  family: FamilySnapshot;
}

/**
 * A terminated upload, with the holder of its lease when it was terminated. Its reserved quota must be released and its
 * blob deleted.
 */
export type TerminatedUpload = Pick<UploadEntity, 'contentId' | 'cloudId' | 'size' | 'blobKey' | 'leaseHolder'>;

/** An upload at the moment its lease was acquired. */
export interface LeasedUpload extends UploadEntity {
  /** The previous holder, whose lease expired, or `null` when the upload had no lease. */
  expiredHolder: string | null;
}

/** The upload and the holder of a lease. */
export interface LeaseKey {
  contentId: string;
  holder: string;
}

/** Progress of an append. */
export type UploadProgress = Pick<UploadEntity, 'receivedSize' | 'expiresAt'>;

/** Stores uploads, their progress and their leases. */
@Injectable()
export class UploadRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Inserts uploads without a lease. */
  async insertMany(uploads: readonly UploadEntity[]): Promise<void> {
    const column = <Key extends keyof UploadEntity>(key: Key) => uploads.map((upload) => upload[key]);
    await this.unitOfWork.executor.query(INSERT_UPLOADS, [
      uuidArray(column('contentId')),
      uuidArray(column('taskId')),
      textArray(column('cloudId')),
      textArray(column('principal')),
      textArray(column('sessionId')),
      uuidArray(column('parentFolderId')),
      column('tokenHash'),
      textArray(column('name')),
      bigintArray(column('size')),
      textArray(column('digest')),
      textArray(column('state')),
      uuidArray(column('blobKey')),
      bigintArray(column('createdAt')),
      bigintArray(column('expiresAt')),
      bigintArray(column('completedAt')),
      bigintArray(column('receivedSize')),
    ]);
  }

  /** Returns the uploads with these URL tokens, in no particular order. */
  findWithFamily(tokenHashes: readonly Buffer[]): Promise<UploadWithFamily[]> {
    return this.unitOfWork.executor.query<UploadWithFamily>(FIND_UPLOADS_WITH_FAMILY, [tokenHashes]);
  }

  /** Returns true while the upload may still receive bytes. */
  isOpen(contentId: string): Promise<boolean> {
    return this.unitOfWork.manager.existsBy(UploadEntity, { contentId, state: In([PENDING, RECEIVING]) });
  }

  findByTask(task: UploadTaskKey): Promise<UploadEntity[]> {
    return this.unitOfWork.manager.find(UploadEntity, { where: { ...task }, order: { contentId: 'ASC' } });
  }

  lockByTask(task: UploadTaskKey): Promise<UploadEntity[]> {
    return this.unitOfWork.manager.find(UploadEntity, {
      where: { ...task },
      order: { contentId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Locks, in id order, the open uploads that a session created in any cloud. */
  lockOpenBySession(principal: PrincipalKey, sessionId: string): Promise<Pick<UploadEntity, 'contentId'>[]> {
    return this.unitOfWork.manager.find(UploadEntity, {
      select: { contentId: true },
      where: { sessionId, principal, state: In([PENDING, RECEIVING]) },
      order: { contentId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /**
   * Terminates the uploads that are still open and returns them, so that the caller releases their quota exactly once.
   * @param holder when given, only uploads whose lease has this holder are terminated
   */
  terminate(contentIds: readonly string[], state: UploadState, holder?: string): Promise<TerminatedUpload[]> {
    return this.unitOfWork.executor.query<TerminatedUpload>(TERMINATE_UPLOADS, [contentIds, state, holder ?? null]);
  }

  /** Expires overdue uploads of all clouds and returns their reserved sizes. */
  async expireOverdue(now: number, limit: number): Promise<{ cloudId: string; size: number }[]> {
    return this.unitOfWork.executor.query<{ cloudId: string; size: number }>(EXPIRE_OVERDUE_UPLOADS, [now, limit]);
  }

  /** Deletes uploads of all clouds that are no longer open and were created before the given time. */
  async deleteTerminated(before: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(DELETE_TERMINATED_UPLOADS, [before, limit]);
    return rows.length;
  }

  /**
   * Acquires the lease of an upload. Returns `undefined` while another request has the lease, or when the upload does
   * not exist.
   */
  async acquireLease({ contentId, holder }: LeaseKey, leaseMs: number): Promise<LeasedUpload | undefined> {
    const [upload] = await this.unitOfWork.executor.query<LeasedUpload>(ACQUIRE_LEASE, [contentId, holder, leaseMs]);
    return upload;
  }

  /** Asks the current holder to stop and to release the lease. */
  async requestLeaseRelease(contentId: string): Promise<void> {
    await this.unitOfWork.executor.query(REQUEST_LEASE_RELEASE, [contentId]);
  }

  /**
   * Renews the lease and returns whether another request waits for it. Returns `undefined` when the lease is lost or
   * the upload has ended.
   */
  async renewLease(
    { contentId, holder }: LeaseKey,
    leaseMs: number,
  ): Promise<{ releaseRequested: boolean } | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ releaseRequested: boolean }>(RENEW_LEASE, [
      contentId,
      holder,
      leaseMs,
    ]);
    return row;
  }

  /**
   * Releases the lease.
   * @param asExpired marks the lease as expired instead of free, so that the next holder takes over the bytes; used
   * while an earlier holder may still write
   */
  async releaseLease({ contentId, holder }: LeaseKey, asExpired: boolean): Promise<void> {
    await this.unitOfWork.executor.query(RELEASE_LEASE, [contentId, holder, asExpired]);
  }

  /** Creates the row of the blob, before the first byte is stored. Returns false when the lease is lost. */
  async startReceiving(
    { contentId, holder }: LeaseKey,
    blobKey: string,
    times: { now: number; expiresAt: number },
  ): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(START_RECEIVING, [
      contentId,
      holder,
      blobKey,
      times.now,
      times.expiresAt,
    ]);
    return rows.length === 1;
  }

  /** Records the number of durable bytes. Returns false when the lease is lost. */
  async recordProgress({ contentId, holder }: LeaseKey, { receivedSize, expiresAt }: UploadProgress): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(RECORD_PROGRESS, [contentId, holder, receivedSize, expiresAt]);
    return rows.length === 1;
  }
}
