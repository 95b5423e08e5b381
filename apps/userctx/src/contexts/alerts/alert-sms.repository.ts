import { Injectable } from '@nestjs/common';
import type { CenterCategory } from '@family-watch/domain/messages/contracts/message-center';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';

/** An alert that one person is to be told by SMS. */
export interface PendingAlert {
  userId: string;
  messageId: string;
  category: CenterCategory;
  /** When it happened, Unix milliseconds. */
  time: number;
}

export interface ClaimedAlert extends PendingAlert {
  /** How often it has been claimed, this time included. */
  attempts: number;
}

/** Alerts by SMS, each to each person once: a row stays after it was sent. Times are Unix milliseconds. */
@Injectable()
export class AlertSmsRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async insertUnlessKnown({ userId, messageId, category, time }: PendingAlert, dueAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO userctx.alert_sms (user_id, message_id, category, time, due_at)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
      [userId, messageId, category, time, dueAt],
    );
  }

  /** Takes alerts that are due; they are due again at `until`, unless they are {@link finish}ed before. */
  claim(now: number, until: number, limit: number): Promise<ClaimedAlert[]> {
    return this.unitOfWork.executor.query<ClaimedAlert>(
      `UPDATE userctx.alert_sms AS alert SET due_at = $2, attempts = alert.attempts + 1
       FROM (
         SELECT user_id, message_id FROM userctx.alert_sms WHERE due_at <= $1 ORDER BY due_at LIMIT $3
         FOR UPDATE SKIP LOCKED
       ) AS due
       WHERE alert.user_id = due.user_id AND alert.message_id = due.message_id
       RETURNING alert.user_id AS "userId", alert.message_id AS "messageId", category, time, attempts`,
      [now, until, limit],
    );
  }

  async postpone({ userId, messageId }: PendingAlert, dueAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      'UPDATE userctx.alert_sms SET due_at = $3 WHERE user_id = $1 AND message_id = $2',
      [userId, messageId, dueAt],
    );
  }

  /** Sent, or given up: it is not due any more. */
  async finish({ userId, messageId }: PendingAlert): Promise<void> {
    await this.unitOfWork.executor.query(
      'UPDATE userctx.alert_sms SET due_at = NULL WHERE user_id = $1 AND message_id = $2',
      [userId, messageId],
    );
  }

  /** Forgets alerts of before `time`. */
  async prune(time: number): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM userctx.alert_sms WHERE time < $1', [time]);
  }
}
