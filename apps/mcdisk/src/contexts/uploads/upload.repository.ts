import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { UploadState } from '@family-watch/domain/family-cloud/contracts/upload';
import { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { bigintArray, textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { UPLOAD_COLUMNS } from './upload-columns.js';

const { PENDING, RECEIVING } = UPLOAD_STATE;

/** Identifies an upload session of one principal. */
export interface UploadTaskKey {
  taskId: string;
  cloudId: string;
  principal: PrincipalKey;
}

/** An upload with the current projection of its family. */
export interface UploadWithFamily extends UploadEntity {
  family: FamilySnapshot;
}

/** A terminated upload: its reserved quota must be released and its blob deleted. */
export interface TerminatedUpload {
  contentId: string;
  cloudId: string;
  size: number;
  blobKey: string | null;
  /** Holder of the lease when the upload was terminated. */
  leaseHolder: string | null;
}

const INSERT_SQL = `
  INSERT INTO mcdisk.upload (content_id, task_id, cloud_id, principal, session_id, parent_catalog_id, token_hash, name,
                             size, digest, state, blob_key, created_at, expires_at, completed_at, received_size)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::bytea[], $8::text[],
                       $9::bigint[], $10::text[], $11::text[], $12::uuid[], $13::bigint[], $14::bigint[],
                       $15::bigint[], $16::bigint[])`;

@Injectable()
export class UploadRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Inserts uploads without a lease. */
  async insertMany(uploads: readonly UploadEntity[]): Promise<void> {
    const column = <Key extends keyof UploadEntity>(key: Key) => uploads.map((upload) => upload[key]);
    await this.unitOfWork.prepared.query(INSERT_SQL, [
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
    return this.unitOfWork.prepared.query<UploadWithFamily>(
      `SELECT ${UPLOAD_COLUMNS}, p.snapshot AS family
         FROM mcdisk.upload u JOIN mcdisk.family_projection p ON p.family_id = u.cloud_id
        WHERE u.token_hash = ANY($1::bytea[])`,
      [tokenHashes],
    );
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
    return this.unitOfWork.executor.query(
      `SELECT content_id AS "contentId" FROM mcdisk.upload
        WHERE session_id = $2 AND principal = $1 AND state IN ('PENDING', 'RECEIVING')
        ORDER BY content_id FOR UPDATE`,
      [principal, sessionId],
    );
  }

  /**
   * Terminates the uploads that are still open and returns them, so that the caller releases their quota exactly once.
   * @param holder when given, only uploads whose lease has this holder are terminated
   */
  terminate(contentIds: readonly string[], state: UploadState, holder?: string): Promise<TerminatedUpload[]> {
    return this.unitOfWork.executor.query<TerminatedUpload>(
      `UPDATE mcdisk.upload SET state = $2
        WHERE content_id IN (
          SELECT content_id FROM mcdisk.upload
           WHERE content_id = ANY($1::uuid[]) AND state IN ('${PENDING}', '${RECEIVING}')
             AND ($3::uuid IS NULL OR lock_holder = $3)
           ORDER BY content_id FOR UPDATE)
        RETURNING content_id AS "contentId", cloud_id AS "cloudId", size, blob_key AS "blobKey",
                  lock_holder AS "leaseHolder"`,
      [contentIds, state, holder ?? null],
    );
  }

  /** Expires overdue uploads of all clouds and returns their reserved sizes. */
  async expireOverdue(now: number, limit: number): Promise<{ cloudId: string; size: number }[]> {
    return this.unitOfWork.executor.query<{ cloudId: string; size: number }>(
      `UPDATE mcdisk.upload SET state = 'EXPIRED'
        WHERE content_id IN (
          SELECT content_id FROM mcdisk.upload
           WHERE state IN ('PENDING', 'RECEIVING') AND expires_at <= $1
           ORDER BY content_id LIMIT $2 FOR UPDATE SKIP LOCKED)
        RETURNING cloud_id AS "cloudId", size`,
      [now, limit],
    );
  }

  /** Deletes uploads of all clouds that are no longer open and were created before `before`. */
  async deleteTerminated(before: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.upload WHERE content_id IN (
         SELECT content_id FROM mcdisk.upload
          WHERE created_at < $1 AND state NOT IN ('PENDING', 'RECEIVING') LIMIT $2)
       RETURNING content_id`,
      [before, limit],
    );
    return rows.length;
  }
}
