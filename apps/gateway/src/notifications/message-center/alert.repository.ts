import { Injectable } from '@nestjs/common';
import { AlertEntity, WatchBatteryEntity } from '@family-watch/domain/messages/entities/center-message.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';

const INSERT_ALERTS = `
  INSERT INTO gateway.alert (
    user_id, message_id, notice_id, family_id, cid, category, audience, about, time, due_at
  )
  SELECT *, $10::bigint FROM unnest(
    $1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[]
  )
  ON CONFLICT DO NOTHING`;

const CLAIM_DUE_ALERTS = `
  DELETE FROM gateway.alert AS alert
  WHERE (user_id, message_id) IN (
    SELECT user_id, message_id FROM gateway.alert WHERE due_at <= $1 ORDER BY due_at LIMIT $2
    FOR UPDATE SKIP LOCKED
  )
  RETURNING user_id AS "userId", message_id AS "messageId", family_id AS "familyId", cid, category, audience,
    about AS "alertKey", time,
    pushed OR EXISTS (
      SELECT FROM gateway.mailbox_entry AS message
      JOIN gateway.session_cursor AS cursor
        ON cursor.principal = message.principal AND cursor.acknowledged >= message.seq
      WHERE message.principal = 'user:' || alert.user_id AND message.id = alert.notice_id
    ) AS delivered`;

export type NewAlert = Omit<AlertEntity, 'dueAt' | 'pushed'>;

export interface DueAlert extends Omit<NewAlert, 'noticeId'> {
  /** A device of the member has acknowledged the notice, or a push service has accepted the notice. */
  delivered: boolean;
}

/**
 * Stores urgent alerts, one row per member, until they are due or cancelled, and the battery levels at which alerts
 * were raised.
 */
@Injectable()
export class AlertRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** @param dueAt Unix milliseconds */
  async insert(alerts: readonly NewAlert[], dueAt: number): Promise<void> {
    await this.unitOfWork.executor.query(INSERT_ALERTS, [
      ...columnsOf(
        alerts,
        'userId',
        'messageId',
        'noticeId',
        'familyId',
        'cid',
        'category',
        'audience',
        'alertKey',
        'time',
      ),
      dueAt,
    ]);
  }

  async markPushed(userId: string, messageId: string): Promise<void> {
    await this.table.update({ userId, messageId }, { pushed: true });
  }

  async deleteByKey(alertKey: string): Promise<void> {
    await this.table.delete({ alertKey });
  }

  async deleteChild(familyId: string, cid: string): Promise<void> {
    await this.table.delete({ familyId, cid });
  }

  /** Deletes and returns due alerts in the current transaction. Skips rows that another transaction has locked. */
  claimDue(now: number, limit: number): Promise<DueAlert[]> {
    return this.unitOfWork.executor.query<DueAlert>(CLAIM_DUE_ALERTS, [now, limit]);
  }

  /**
   * Returns the lowest battery level of the watch at which an alert was raised and above which the battery has not
   * risen since.
   */
  async findAlertedLevel(did: number): Promise<number | null> {
    const battery = await this.unitOfWork.manager.findOneBy(WatchBatteryEntity, { did });
    return battery?.alertedLevel ?? null;
  }

  async saveAlertedLevel(did: number, alertedLevel: number | null): Promise<void> {
    const batteries = this.unitOfWork.manager.getRepository(WatchBatteryEntity);
    if (alertedLevel === null) await batteries.delete({ did });
    else await batteries.upsert({ did, alertedLevel }, ['did']);
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(AlertEntity);
  }
}
