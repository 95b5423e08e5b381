import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { AttemptLimiterService } from '../accounts/attempts/attempt-limiter.service.js';
import { SmsSender } from '../accounts/codes/sms-sender.js';
import type { EmergencyContact } from '../contacts/emergency-order.service.js';
import { AlertRecipientsService } from './alert-recipients.service.js';
import { AlertSmsRepository } from './alert-sms.repository.js';
import type { ClaimedAlert, AlertContent } from './alert-sms.repository.js';

const ALERTS_AT_ONCE = 20;
/** Longer than the provider may take. Milliseconds. */
const CLAIM_MS = 60_000;
const FIRST_PAUSE_MS = 2_000;
/** An alert that could not be sent for as long is news no more. Milliseconds. */
const WORTH_SENDING_MS = 15 * 60_000;

/**
 * Alerts by SMS to contacts of a child, at most some an hour to each number, a member's own family apart. A process that is killed while the
 * provider takes one sends it again: twice is better than never.
 */
@Injectable()
export class AlertSmsService {
  private readonly logger = new Logger(AlertSmsService.name);

  constructor(
    private readonly alerts: AlertSmsRepository,
    private readonly recipients: AlertRecipientsService,
    private readonly limiter: AttemptLimiterService,
    private readonly sender: SmsSender,
  ) {}

  /** Leaves for these contacts once the open unit has committed. */
  async enqueue(alert: AlertContent, refIds: readonly string[]): Promise<void> {
    await this.alerts.add(
      alert,
      refIds.map(() => randomUUID()),
      refIds,
    );
  }

  /** What has not left yet does not leave any more, once the open unit has committed. */
  async cancel(about: string): Promise<void> {
    await this.alerts.removeBySubject(about);
  }

  /** Sends what is due and no other replica sends; returns how many it took. @param now Unix milliseconds */
  async sendDue(now = Date.now()): Promise<number> {
    const claimed = await this.alerts.claim(now, now + CLAIM_MS, ALERTS_AT_ONCE);
    await Promise.all(claimed.map((alert) => this.send(alert, now)));
    return claimed.length;
  }

  private async send(alert: ClaimedAlert, now: number): Promise<void> {
    const { familyId, cid, refId, category, time, queuedAt, attempts } = alert;
    // Whoever is no contact any more, or may not know any more, is left out; so is a number that has changed.
    const recipient = (await this.recipients.findByChild(familyId, cid)).find((contact) => contact.refId === refId);
    if (!recipient || now - queuedAt > WORTH_SENDING_MS) return this.alerts.remove(alert);
    const { areaCode, phoneNumber } = recipient;
    try {
      if (attempts === 1) await this.limiter.consume('alert-sms.phone', countedAs(alert, recipient));
      if (!(await this.alerts.isPending(alert))) return;
      await this.sender.send({ areaCode, phoneNumber, scene: 'ALERT', category, time });
    } catch (error) {
      if (error instanceof ServiceError) return this.alerts.remove(alert);
      // Not its message: a provider's may repeat the phone number.
      this.logger.error({ msg: 'Alert SMS failed', refId, attempts, errorCode: (error as { code?: unknown }).code });
      return this.alerts.reschedule(alert, now + FIRST_PAUSE_MS * 2 ** attempts);
    }
    return this.alerts.remove(alert);
  }
}

/**
 * Whose messages are counted together. Anybody can name any number as a contact, so those of all families are; but
 * who is a member has agreed to be, and other families cannot use up what a member is told by their own.
 */
function countedAs({ familyId }: ClaimedAlert, { userId, areaCode, phoneNumber }: EmergencyContact): string {
  const number = areaCode + phoneNumber;
  return userId === null ? number : `${familyId}\n${number}`;
}
