import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { UploadState } from '@family-watch/domain/family-cloud/contracts/upload';
import { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

const { PENDING, RECEIVING, COMPLETE } = UPLOAD_STATE;

/** Whose upload task: one that somebody else announced is not there. */
export interface TaskOf {
  taskId: string;
  cloudId: string;
  principal: PrincipalKey;
}

@Injectable()
export class UploadRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  async insertMany(uploads: readonly UploadEntity[]): Promise<void> {
    await this.unitOfWork.manager.insert(UploadEntity, [...uploads]);
  }

  findByTokenHash(tokenHash: Buffer): Promise<UploadEntity | null> {
    return this.unitOfWork.manager.findOneBy(UploadEntity, { tokenHash });
  }

  findByTask(task: TaskOf): Promise<UploadEntity[]> {
    return this.unitOfWork.manager.find(UploadEntity, { where: { ...task }, order: { contentId: 'ASC' } });
  }

  lockByTask(task: TaskOf): Promise<UploadEntity[]> {
    return this.unitOfWork.manager.find(UploadEntity, {
      where: { ...task },
      order: { contentId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** One PUT at a time: returns false when the upload is not waiting for its bytes. */
  async begin(contentId: string, attempt: { blobKey: string; now: number; expiresAt: number }): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      `UPDATE mcdisk.upload SET state = 'RECEIVING', blob_key = $2, expires_at = $4
        WHERE content_id = $1 AND state = 'PENDING' AND expires_at > $3 RETURNING content_id`,
      [contentId, attempt.blobKey, attempt.now, attempt.expiresAt],
    );
    return rows.length > 0;
  }

  /** Waits for its bytes again after a PUT that broke off. Does nothing when the attempt is no longer the one. */
  async putBack(contentId: string, blobKey: string, expiresAt: number): Promise<void> {
    await this.unitOfWork.manager.update(
      UploadEntity,
      { contentId, blobKey, state: RECEIVING },
      { state: PENDING, blobKey: null, expiresAt },
    );
  }

  /** Returns false when the attempt is no longer the one: aborted or expired meanwhile. */
  async complete(contentId: string, blobKey: string, facts: { digest: string; now: number }): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      UploadEntity,
      { contentId, blobKey, state: RECEIVING },
      { state: COMPLETE, digest: facts.digest, completedAt: facts.now },
    );
    return affected === 1;
  }

  /** Ends an upload that is still open. Returns false when it was not, so that its quota is released only once. */
  async end(contentId: string, state: UploadState): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      UploadEntity,
      { contentId, state: In([PENDING, RECEIVING]) },
      { state },
    );
    return affected === 1;
  }

  /** Ends open uploads of all clouds whose time is over, and returns what the quota held for them. */
  async expire(now: number, limit: number): Promise<{ cloudId: string; size: number }[]> {
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

  /** Forgets ended uploads of all clouds that were announced before `before`. */
  async deleteEnded(before: number, limit: number): Promise<number> {
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
