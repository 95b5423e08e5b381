import { Injectable } from '@nestjs/common';
import type { Audience } from '@family-watch/domain/messages/contracts/delivery-subject';
import type { CenterCategory } from '@family-watch/domain/messages/contracts/message-center';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** An urgent alert for one member. */
interface Alert {
  userId: string;
  messageId: string;
  familyId: string;
  cid: string;
  category: CenterCategory;
  audience: Audience;
  alertKey: string | null;
  /** Unix milliseconds. */
  time: number;
}

export interface NewAlert extends Alert {
  /** Id of the notice in the member's mailbox. */
  noticeId: string;
}

export interface DueAlert extends Alert {
  /** A device of the member has acknowledged the notice, or a push service has accepted the notice. */
  delivered: boolean;
}

/** Stores urgent alerts, one row per member, until they are due or cancelled. */
@Injectable()
export class AlertRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** @param dueAt Unix milliseconds */
  async insert(alerts: readonly NewAlert[], dueAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO gateway.alert (
         user_id, message_id, notice_id, family_id, cid, category, audience, about, time, due_at
       )
       SELECT *, $10::bigint FROM unnest(
         $1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[]
       )
       ON CONFLICT DO NOTHING`,
      [
        alerts.map(({ userId }) => userId),
        alerts.map(({ messageId }) => messageId),
        alerts.map(({ noticeId }) => noticeId),
        alerts.map(({ familyId }) => familyId),
        alerts.map(({ cid }) => cid),
        alerts.map(({ category }) => category),
        alerts.map(({ audience }) => audience),
        alerts.map(({ alertKey }) => alertKey),
        alerts.map(({ time }) => time),
        dueAt,
      ],
    );
  }

  async markPushed(userId: string, messageId: string): Promise<void> {
    await this.unitOfWork.executor.query(
      'UPDATE gateway.alert SET pushed = true WHERE user_id = $1 AND message_id = $2::uuid',
      [userId, messageId],
    );
  }

  async deleteByKey(alertKey: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.alert WHERE about = $1', [alertKey]);
  }

  async deleteChild(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.alert WHERE family_id = $1 AND cid = $2', [
      familyId,
      cid,
    ]);
  }

  /** Deletes and returns due alerts in the current transaction. Skips rows that another transaction has locked. */
  claimDue(now: number, limit: number): Promise<DueAlert[]> {
    return this.unitOfWork.executor.query<DueAlert>(
      `DELETE FROM gateway.alert AS alert
       WHERE (user_id, message_id) IN (
         SELECT user_id, message_id FROM gateway.alert WHERE due_at <= $1 ORDER BY due_at LIMIT $2
         FOR UPDATE SKIP LOCKED
       )
       RETURNING user_id AS "userId", message_id AS "messageId", family_id AS "familyId", cid, category, audience,
         about AS "alertKey", time,
         pushed OR EXISTS (
           SELECT FROM gateway.mailbox_message AS message
           JOIN gateway.session_cursor AS cursor
             ON cursor.principal = message.principal AND cursor.acknowledged >= message.seq
           WHERE message.principal = 'user:' || alert.user_id AND message.id = alert.notice_id
         ) AS delivered`,
      [now, limit],
    );
  }
}
