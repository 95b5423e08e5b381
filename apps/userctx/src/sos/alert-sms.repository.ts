import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AlertSmsEntity } from '@family-watch/domain/sos/entities/sos.entities';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';

const CLAIM_DUE_ALERTS = `
  UPDATE userctx.alert_sms AS alert SET due_at = $2, attempts = alert.attempts + 1
   FROM (
     SELECT alert_id FROM userctx.alert_sms WHERE due_at <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
   ) AS due
   WHERE alert.alert_id = due.alert_id
   RETURNING alert.alert_id AS "alertId", family_id AS "familyId", cid, ref_id AS "refId", about AS "subjectId",
     category, time, queued_at AS "queuedAt", attempts, avoided_provider AS "avoidedProvider"`;

/** An SMS alert to one contact, with the number of times that it was claimed, including the current claim. */
export type ClaimedAlert = Omit<AlertSmsEntity, 'dueAt'>;

/**
 * An SMS alert to contacts of a child. Unsent alerts are cancelled by the id of their subject, such as the id of an
 * SOS. Times in Unix milliseconds.
 */
export type AlertContent = Omit<ClaimedAlert, 'alertId' | 'refId' | 'attempts' | 'avoidedProvider'> &
  Partial<Pick<ClaimedAlert, 'avoidedProvider'>>;

/** Stores SMS alerts that have not been sent yet. */
@Injectable()
export class AlertSmsRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add(alert: AlertContent, refIds: readonly string[]): Promise<void> {
    await this.alerts.insert(
      refIds.map((refId) => ({ ...alert, refId, alertId: randomUUID(), dueAt: alert.queuedAt })),
    );
  }

  /** Claims due alerts. A claimed alert becomes due again at `until` unless {@link remove} deletes it earlier. */
  claim(now: number, until: number, limit: number): Promise<ClaimedAlert[]> {
    return this.unitOfWork.executor.query<ClaimedAlert>(CLAIM_DUE_ALERTS, [now, until, limit]);
  }

  /** Returns false when the alert has been cancelled or removed. */
  isPending({ alertId, familyId }: ClaimedAlert): Promise<boolean> {
    return this.alerts.existsBy({ alertId, familyId });
  }

  /** Changes nothing if another replica has claimed the alert meanwhile, which increases `attempts`. */
  async reschedule({ alertId, attempts }: ClaimedAlert, dueAt: number): Promise<void> {
    await this.alerts.update({ alertId, attempts }, { dueAt });
  }

  /** Deletes an alert that was sent or abandoned. */
  async remove({ alertId }: ClaimedAlert): Promise<void> {
    await this.alerts.delete({ alertId });
  }

  async removeBySubject(subjectId: string): Promise<void> {
    await this.alerts.delete({ subjectId });
  }

  private get alerts() {
    return this.unitOfWork.manager.getRepository(AlertSmsEntity);
  }
}
