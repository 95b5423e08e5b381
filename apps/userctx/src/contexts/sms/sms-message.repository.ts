import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { SmsProviderName } from '@family-watch/domain/sms/contracts/sms';
import { SmsMessageEntity } from '@family-watch/domain/sms/entities/sms.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { SmsOutcome, SmsReceipt } from './providers/sms-provider.js';
import { APPLY_RECEIPTS, TAKE_ALERT } from './sms.sql.js';

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
