import { Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { AccountDirectory } from '../accounts/account-directory.service.js';
import { AttemptLimiter } from '../accounts/attempts/attempt-limiter.service.js';
import { SmsSender } from '../accounts/codes/sms-sender.js';
import { AlertSmsRepository } from './alert-sms.repository.js';
import type { ClaimedAlert } from './alert-sms.repository.js';

const ALERTS_AT_ONCE = 20;
/** Longer than the provider may take. Milliseconds. */
const CLAIM_MS = 60_000;
const FIRST_PAUSE_MS = 2_000;
/** An alert that is older is news no more. Milliseconds. */
const WORTH_SENDING_MS = 15 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Urgent alerts by SMS: to the person's own number, each once, at most some an hour. A process that is killed while
 * the provider takes one sends it again: twice is better than never.
 */
@Injectable()
export class AlertSmsService {
  private readonly logger = new Logger(AlertSmsService.name);

  constructor(
    private readonly alerts: AlertSmsRepository,
    private readonly accounts: AccountDirectory,
    private readonly limiter: AttemptLimiter,
    private readonly sender: SmsSender,
  ) {}

  /** Sends what is due and no other replica sends; returns how many it took. */
  async sendDue(): Promise<number> {
    const now = Date.now();
    const claimed = await this.alerts.claim(now, now + CLAIM_MS, ALERTS_AT_ONCE);
    for (const alert of claimed) await this.send(alert);
    return claimed.length;
  }

  async prune(): Promise<void> {
    await this.alerts.prune(Date.now() - DAY_MS);
  }

  private async send(alert: ClaimedAlert): Promise<void> {
    const { userId, category, time, attempts } = alert;
    const account = await this.accounts.findProfile(userId);
    if (!account || Date.now() - time > WORTH_SENDING_MS) return this.alerts.finish(alert);
    const { areaCode, phoneNumber } = account;
    try {
      if (attempts === 1) await this.limiter.consume('alert-sms.account', userId);
      await this.sender.send({ areaCode, phoneNumber, scene: 'ALERT', category, time });
    } catch (error) {
      if (error instanceof ServiceError) return this.alerts.finish(alert);
      // Not its message: a provider's may repeat the phone number.
      this.logger.error(`An alert could not be sent: ${String((error as { code?: unknown }).code)}`);
      return this.alerts.postpone(alert, Date.now() + FIRST_PAUSE_MS * 2 ** attempts);
    }
    return this.alerts.finish(alert);
  }
}
