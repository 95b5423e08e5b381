import { Injectable } from '@nestjs/common';
import type { CenterCategory } from '@family-watch/domain/messages/contracts/message-center';
import { AlertSmsEntity } from '@family-watch/domain/sos/entities/sos.entities';
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
  isPending({ alertId, familyId }: PendingAlert): Promise<boolean> {
    return this.alerts.existsBy({ alertId, familyId });
  }

  async reschedule({ alertId }: PendingAlert, dueAt: number): Promise<void> {
    await this.alerts.update({ alertId }, { dueAt });
  }

  /** Deletes an alert that was sent or abandoned. */
  async remove({ alertId }: PendingAlert): Promise<void> {
    await this.alerts.delete({ alertId });
  }

  async removeBySubject(subjectId: string): Promise<void> {
    await this.alerts.delete({ subjectId });
  }

  private get alerts() {
    return this.unitOfWork.manager.getRepository(AlertSmsEntity);
  }
}
