import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { SmsProviderName } from '@family-watch/domain/sms/contracts/sms';
import { SmsMessageEntity } from '@family-watch/domain/sms/entities/sms.entities';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import type { SmsOutcome, SmsReceipt } from './providers/sms-provider.js';

/**
 * $1: provider, $2 to $5: arrays of message ids, provider's ids, states and error codes, $6: the time. A final state is
 * never changed.
 */
const APPLY_RECEIPTS = `
  UPDATE userctx.sms_message AS message
     SET state = receipt.state, error_code = receipt.error_code, updated_at = $6
    FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[])
           AS receipt (message_id, provider_message_id, state, error_code)
   WHERE message.provider = $1 AND message.state NOT IN ('DELIVERED', 'UNDELIVERED')
     AND (message.message_id = receipt.message_id OR message.provider_message_id = receipt.provider_message_id)
   RETURNING message.message_id AS "messageId", message.state, message.area_code AS "areaCode", message.alert`;

/**
 * Decides whether an SMS is the newest one of its alert and its contact, and prevents that another receipt has the same
 * effect. $1: message id, $2: child, $3: subject, $4: contact.
 */
const TAKE_ALERT = `
  WITH same AS (
    SELECT message_id, created_at FROM userctx.sms_message
     WHERE cid = $2::uuid AND alert ->> 'subjectId' = $3 AND alert ->> 'refId' = $4
     ORDER BY message_id FOR UPDATE
  )
  UPDATE userctx.sms_message SET alert = NULL
   WHERE message_id IN (SELECT message_id FROM same)
     AND $1::uuid = (SELECT message_id FROM same ORDER BY created_at DESC, message_id DESC LIMIT 1)
   RETURNING message_id`;

export type NewSmsMessage = Pick<SmsMessageEntity, 'messageId' | 'provider' | 'scene' | 'areaCode' | 'alert'>;
export type ReportedSms = Pick<SmsMessageEntity, 'messageId' | 'state' | 'areaCode' | 'alert'>;

/** Stores which SMS were passed to which provider, and what became of them. */
@Injectable()
export class SmsMessageRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async insert(message: NewSmsMessage, now: number): Promise<void> {
    const cid = message.alert?.cid ?? null;
    const unknown = { providerMessageId: null, errorCode: null, createdAt: now, updatedAt: now } as const;
    await this.messages.insert({ ...message, ...unknown, cid, state: 'SENDING' });
  }

  /** Stores the provider's response. A receipt that was stored before takes precedence. */
  async recordOutcome(messageId: string, outcome: SmsOutcome, now: number): Promise<void> {
    const { state } = outcome;
    const fields =
      outcome.state === 'ACCEPTED'
        ? { providerMessageId: outcome.providerMessageId }
        : { errorCode: outcome.errorCode };
    await this.messages.update({ messageId, state: 'SENDING' }, { state, ...fields, updatedAt: now });
  }

  /** Stores final states. Returns the SMS whose state changed; an unknown SMS is ignored. */
  applyReceipts(provider: SmsProviderName, receipts: readonly SmsReceipt[], now: number): Promise<ReportedSms[]> {
    return this.unitOfWork.executor.query<ReportedSms>(APPLY_RECEIPTS, [
      provider,
      receipts.map(({ messageId }) => (messageId !== null && isUuid(messageId) ? messageId : null)),
      receipts.map(({ providerMessageId }) => providerMessageId),
      receipts.map(({ state }) => state),
      receipts.map(({ errorCode }) => errorCode),
      now,
    ]);
  }

  /**
   * Returns true if this SMS is the newest one of its alert to the contact, and if no other receipt has led to another
   * SMS of the alert. Later calls for the alert then return false.
   */
  async takeAlert({ messageId, alert }: Pick<ReportedSms, 'messageId' | 'alert'>): Promise<boolean> {
    if (!alert) return false;
    const { cid, subjectId, refId } = alert;
    const taken = await this.unitOfWork.executor.query(TAKE_ALERT, [messageId, cid, subjectId, refId]);
    return taken.length > 0;
  }

  async removeByChild(cid: string): Promise<void> {
    await this.messages.delete({ cid });
  }

  async prune(createdBefore: number): Promise<void> {
    await this.messages.delete({ createdAt: LessThan(createdBefore) });
  }

  private get messages() {
    return this.unitOfWork.manager.getRepository(SmsMessageEntity);
  }
}
