import { Injectable } from '@nestjs/common';
import type { CleanupKind } from '@family-watch/domain/family-cloud/contracts/cleanup-task';
import type { CleanupTaskEntity } from '@family-watch/domain/family-cloud/entities/cleanup-task.entity';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { NextCleanupStep } from './cleanup-task.js';

@Injectable()
export class CleanupTaskRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Inserts a task unless it exists, because an event may be delivered twice. */
  async insertIfAbsent(task: Pick<CleanupTaskEntity, 'kind' | 'subject' | 'cloudId'>, dueAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.ending (kind, subject, cloud_id, state, due_at) VALUES ($1, $2, $3, 'WAITING', $4)
       ON CONFLICT (kind, subject) DO NOTHING`,
      [task.kind, task.subject, task.cloudId, dueAt],
    );
  }

  /** Deletes a task that was cancelled or is finished. */
  async remove({ kind, subject }: { kind: CleanupKind; subject: string }): Promise<void> {
    await this.unitOfWork.prepared.query('DELETE FROM mcdisk.ending WHERE kind = $1 AND subject = $2', [kind, subject]);
  }

  /**
   * Locks the task that has been due longest and skips locked tasks. Must be called in the transaction that runs the
   * task's next step.
   */
  async lockDue(now: number): Promise<CleanupTaskEntity | undefined> {
    const [row] = await this.unitOfWork.executor.query<CleanupTaskEntity>(
      `SELECT kind, subject, cloud_id AS "cloudId", state, cursor FROM mcdisk.ending
        WHERE due_at <= $1 ORDER BY due_at, subject LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [now],
    );
    return row;
  }

  async saveNextStep({ kind, subject }: CleanupTaskEntity, { state, cursor, dueAt }: NextCleanupStep): Promise<void> {
    await this.unitOfWork.executor.query(
      'UPDATE mcdisk.ending SET state = $3, cursor = $4, due_at = $5 WHERE kind = $1 AND subject = $2',
      [kind, subject, state, cursor, dueAt],
    );
  }

  /** Returns the version of the family's projection, and whether the family is dissolved. */
  async findFamily(familyId: string): Promise<{ version: number; dissolved: boolean } | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ version: number; dissolved: boolean }>(
      `SELECT version, (snapshot ->> 'dissolved')::boolean AS dissolved FROM mcdisk.family_projection
        WHERE family_id = $1`,
      [familyId],
    );
    return row;
  }

  /** Locks the open uploads of a cloud that were created by a principal who is not in `principals`. */
  async findUploadsOfOthers(cloudId: string, principals: readonly PrincipalKey[]): Promise<string[]> {
    return this.findUploads('cloud_id = $1 AND principal <> ALL ($2)', [cloudId, principals]);
  }

  async findUploadsOf(principal: PrincipalKey): Promise<string[]> {
    return this.findUploads('principal = $1', [principal]);
  }

  private async findUploads(condition: string, parameters: readonly unknown[]): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ id: string }>(
      `SELECT content_id AS id FROM mcdisk.upload
        WHERE state IN ('PENDING', 'RECEIVING') AND ${condition} ORDER BY content_id FOR UPDATE`,
      parameters,
    );
    return rows.map(({ id }) => id);
  }
}
