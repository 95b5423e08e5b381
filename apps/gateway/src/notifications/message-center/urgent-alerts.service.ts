import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CENTER_MESSAGE_TYPES } from '@family-watch/domain/messages/contracts/message-center';
import { AlertEntity } from '@family-watch/domain/messages/entities/center-message.entities';
import type { Clock } from '@family-watch/event-bus/clock';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { CLOCK, GatewayOutbox, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { mayReceive } from '../../projections/delivery-access.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { AlertRepository, type DueAlert } from './alert.repository.js';
import type { CenterMessageEntry } from './center-message.repository.js';

/** Time within which a device of the member must receive an urgent alert. Milliseconds. */
export const ALERT_DELIVERY_TIMEOUT_MS = 30_000;
const DUE_ALERTS_BATCH_SIZE = 100;

/** A center message and the notice about it. */
export interface NotifiedEntry {
  entry: CenterMessageEntry;
  notice: MailboxEntry;
}

/**
 * Stores urgent alerts about a child until each recipient has received them: a device has acknowledged the notice over
 * its socket, or a push service has accepted it. Publishes `gateway.alert.undelivered` for alerts not received in time.
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

  /** Stores an alert for each urgent entry, in the transaction that stores the entries. */
  async storeAlerts(entries: readonly NotifiedEntry[]): Promise<void> {
    const urgent = entries.flatMap(({ entry, notice }) => {
      const { familyId, cid, type, userId, messageId, audience, alertKey = null, time } = entry;
      const { category, severity } = CENTER_MESSAGE_TYPES[type];
      if (severity !== 'URGENT' || familyId === null || cid === null) return [];
      return [{ userId, messageId, noticeId: notice.id, familyId, cid, category, audience, alertKey, time }];
    });
    if (urgent.length > 0) await this.alerts.insert(urgent, this.clock.now() + ALERT_DELIVERY_TIMEOUT_MS);
  }

  /**
   * Deletes the alerts with this key, because a member has acknowledged or resolved their subject (such as an SOS). The
   * alerts are deleted at the end of the current transaction, because alerts raised in the same transaction are not
   * stored earlier.
   */
  cancel(alertKey: string): void {
    this.mailboxes.enqueueBeforeCommit(async () => {
      await this.alerts.deleteByKey(alertKey);
      return [];
    });
  }

  /** Records that a push service has accepted the notice for this user. */
  async recordPushAccepted(userId: string, messageId: string): Promise<void> {
    await this.alerts.markPushed(userId, messageId);
  }

  /** Publishes an event for userctx about each urgent alert that no device received in time. */
  @OnJob('gateway.notifications.publish-undelivered-alerts', {
    intervalMs: 1_000,
    queue: { entity: AlertEntity, dueAt: 'dueAt' },
  })
  async publishUndeliveredAlerts(): Promise<void> {
    while ((await this.processDueAlerts()) > 0);
  }

  /** Processes a batch of due alerts, skipping alerts that another node has claimed; returns the size of the batch. */
  private processDueAlerts(): Promise<number> {
    return this.unitOfWork.run(async () => {
      const due = await this.alerts.claimDue(this.clock.now(), DUE_ALERTS_BATCH_SIZE);
      for (const alert of due) {
        if (!alert.delivered && (await this.isStillAllowed(alert))) await this.publishUndelivered(alert);
      }
      return due.length;
    });
  }

  /**
   * Returns whether the user may still see the alert. Also returns true while the projection of the family may be
   * outdated, because userctx checks the current members again before it escalates the alert.
   */
  private async isStillAllowed(alert: DueAlert): Promise<boolean> {
    try {
      return mayReceive(`user:${alert.userId}`, alert, await this.families.get(alert.familyId));
    } catch (error) {
      if (error instanceof ServiceError) return true;
      throw error;
    }
  }

  private async publishUndelivered({
    userId,
    familyId,
    cid,
    category,
    messageId,
    alertKey,
    time,
  }: DueAlert): Promise<void> {
    const payload = { userId, familyId, cid, category, messageId, about: alertKey, time };
    await this.outbox.append({ name: 'gateway.alert.undelivered', key: `user:${userId}`, payload });
  }
}
