import { Injectable } from '@nestjs/common';
import { AlertSmsEntity } from '@family-watch/domain/sos/entities/sos.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** An SMS alert to one contact, with the number of times that it was claimed, including the current claim. */
export type ClaimedAlert = Omit<AlertSmsEntity, 'dueAt'>;

/** An SMS alert to contacts of a child, which is cancelled by the id of its subject. Times in Unix milliseconds. */
export type AlertContent = Omit<ClaimedAlert, 'alertId' | 'refId' | 'attempts'>;

/** SKIP LOCKED: replicas claim different alerts. */
const CLAIM_DUE = `
  update userctx.alert_sms as alert set due_at = $2, attempts = alert.attempts + 1
   from (
     select alert_id from userctx.alert_sms where due_at <= $1 order by due_at limit $3 for update skip locked
   ) as due
   where alert.alert_id = due.alert_id
   returning alert.alert_id as "alertId", family_id as "familyId", cid, ref_id as "refId", about as "subjectId",
     category, time, queued_at as "queuedAt", attempts`;

/** Stores SMS alerts that have not been sent yet. */
@Injectable()
export class AlertSmsRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** @param alertIds one id for each element of `refIds` */
  async add(alert: AlertContent, alertIds: readonly string[], refIds: readonly string[]): Promise<void> {
    const alerts = refIds.map((refId, index) => ({ ...alert, refId, alertId: alertIds[index], dueAt: alert.queuedAt }));
    await this.alerts.insert(alerts);
  }

  /** Claims due alerts. A claimed alert becomes due again at `until` unless {@link remove} deletes the alert before. */
  claim(now: number, until: number, limit: number): Promise<ClaimedAlert[]> {
    return this.unitOfWork.executor.query<ClaimedAlert>(CLAIM_DUE, [now, until, limit]);
  }

  /** Returns false when the alert has been cancelled or removed. */
  isPending({ alertId, familyId }: ClaimedAlert): Promise<boolean> {
    return this.alerts.existsBy({ alertId, familyId });
  }

  async reschedule({ alertId }: ClaimedAlert, dueAt: number): Promise<void> {
    await this.alerts.update({ alertId }, { dueAt });
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
