import { Injectable } from '@nestjs/common';
import type { CenterCategory } from '@family-watch/domain/messages/contracts/message-center';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** An SMS alert to contacts of a child. Times in Unix milliseconds. */
export interface AlertContent {
  familyId: string;
  cid: string;
  /** Id of the subject of the alert, by which alerts are cancelled. */
  subjectId: string;
  category: CenterCategory;
  /** When the subject happened. */
  time: number;
  queuedAt: number;
}

/** An alert to one contact. */
export interface PendingAlert extends AlertContent {
  alertId: string;
  refId: string;
}

export interface ClaimedAlert extends PendingAlert {
  /** Number of times that the alert was claimed, including the current claim. */
  attempts: number;
}

/** Stores SMS alerts that have not been sent yet. */
@Injectable()
export class AlertSmsRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** @param alertIds one id for each element of `refIds` */
  async add(alert: AlertContent, alertIds: readonly string[], refIds: readonly string[]): Promise<void> {
    const { familyId, cid, subjectId, category, time, queuedAt } = alert;
    await this.unitOfWork.executor.query(
      `INSERT INTO userctx.alert_sms (alert_id, ref_id, family_id, cid, about, category, time, queued_at, due_at)
       SELECT *, $3::uuid, $4::uuid, $5::uuid, $6, $7::bigint, $8::bigint, $8::bigint
       FROM unnest($1::uuid[], $2::uuid[])`,
      [alertIds, refIds, familyId, cid, subjectId, category, time, queuedAt],
    );
  }

  /** Claims due alerts. A claimed alert becomes due again at `until` unless {@link remove} deletes the alert before. */
  claim(now: number, until: number, limit: number): Promise<ClaimedAlert[]> {
    return this.unitOfWork.executor.query<ClaimedAlert>(
      `UPDATE userctx.alert_sms AS alert SET due_at = $2, attempts = alert.attempts + 1
       FROM (
         SELECT alert_id FROM userctx.alert_sms WHERE due_at <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
       ) AS due
       WHERE alert.alert_id = due.alert_id
       RETURNING alert.alert_id AS "alertId", family_id AS "familyId", cid, ref_id AS "refId", about AS "subjectId",
         category, time, queued_at AS "queuedAt", attempts`,
      [now, until, limit],
    );
  }

  /** Returns false when the alert has been cancelled or removed. */
  async isPending({ alertId, familyId }: PendingAlert): Promise<boolean> {
    const found = await this.unitOfWork.executor.query(
      'SELECT FROM userctx.alert_sms WHERE alert_id = $1 AND family_id = $2',
      [alertId, familyId],
    );
    return found.length === 1;
  }

  async reschedule({ alertId }: PendingAlert, dueAt: number): Promise<void> {
    await this.unitOfWork.executor.query('UPDATE userctx.alert_sms SET due_at = $2 WHERE alert_id = $1', [
      alertId,
      dueAt,
    ]);
  }

  /** Deletes an alert that was sent or abandoned. */
  async remove({ alertId }: PendingAlert): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM userctx.alert_sms WHERE alert_id = $1', [alertId]);
  }

  async removeBySubject(subjectId: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM userctx.alert_sms WHERE about = $1', [subjectId]);
  }
}
