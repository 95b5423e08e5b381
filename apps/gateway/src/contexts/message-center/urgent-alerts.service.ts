import { Inject, Injectable } from '@nestjs/common';
import { CENTER_MESSAGE_TYPES } from '@family-watch/domain/messages/contracts/message-center';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayOutbox } from '../../infrastructure/gateway.outbox.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { mayReceive } from '../../protocol/delivery-access.js';
import { FamilyLookupService } from '../families/family-lookup.service.js';
import type { MailboxEntry } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { AlertRepository } from './alert.repository.js';
import type { DueAlert } from './alert.repository.js';
import type { CenterMessageEntry } from './center-message-draft.js';

/** How long the devices of a person have to take an urgent alert. Milliseconds. */
export const ALERT_DELIVERY_TIMEOUT_MS = 30_000;
const ALERTS_AT_ONCE = 100;

/** A message of the centre and the notice that tells of it. */
export interface NotifiedEntry {
  entry: CenterMessageEntry;
  notice: MailboxEntry;
}

/**
 * Urgent alerts about a child are watched until a device of each person has taken them: its socket has acknowledged
 * the notice, or a push service has accepted it. What nobody took in time is told as `gateway.alert.undelivered`.
 */
@Injectable()
export class UrgentAlertsService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly outbox: GatewayOutbox,
    private readonly alerts: AlertRepository,
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Begins to watch those that are urgent, in the open unit that stores them. */
  async track(told: readonly NotifiedEntry[]): Promise<void> {
    const urgent = told.flatMap(({ entry, notice }) => {
      const { familyId, cid, type, userId, messageId, audience, about = null, time } = entry;
      const { category, severity } = CENTER_MESSAGE_TYPES[type];
      if (severity !== 'URGENT' || familyId === null || cid === null) return [];
      return [{ userId, messageId, noticeId: notice.id, familyId, cid, category, audience, about, time }];
    });
    if (urgent.length > 0) await this.alerts.insert(urgent, this.clock.now() + ALERT_DELIVERY_TIMEOUT_MS);
  }

  /**
   * Somebody cares for it now: whoever was not reached yet need not be any more. At the end of the open unit, because
   * the alert may have been raised in the same unit and is stored only then.
   */
  cancel(about: string): void {
    this.mailboxes.enqueueBeforeCommit(async () => {
      await this.alerts.deleteBySubject(about);
      return [];
    });
  }

  /** A push service has taken the notice for this person. */
  async recordPushAccepted(userId: string, messageId: string): Promise<void> {
    await this.alerts.markPushed(userId, messageId);
  }

  /** Looks at the alerts whose time is over, those that no other node looks at; returns how many. */
  processDue(): Promise<number> {
    return this.unitOfWork.run(async () => {
      const due = await this.alerts.claimDue(this.clock.now(), ALERTS_AT_ONCE);
      for (const alert of due) {
        if (!alert.taken && (await this.isStillFor(alert))) await this.tellUndelivered(alert);
      }
      return due.length;
    });
  }

  private async isStillFor(alert: DueAlert): Promise<boolean> {
    return mayReceive(`user:${alert.userId}`, alert, await this.families.get(alert.familyId));
  }

  private async tellUndelivered({ userId, familyId, cid, category, messageId, about, time }: DueAlert): Promise<void> {
    const payload = { userId, familyId, cid, category, messageId, about, time };
    await this.outbox.append({ name: 'gateway.alert.undelivered', key: `user:${userId}`, payload });
  }
}
