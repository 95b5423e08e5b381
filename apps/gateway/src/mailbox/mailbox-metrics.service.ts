import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@family-watch/event-bus/clock';
import { gauge } from '@family-watch/platform/observability/instruments';
import { OnScrape } from '@family-watch/platform/jobs/on-scrape.decorator';
import { CLOCK } from '../infrastructure/gateway-infrastructure.js';
import { MailboxRepository } from './mailbox.repository.js';

const STORED = gauge('mailbox_stored_messages', 'Estimated number of messages in all mailboxes.', ['app']);
const UNACKNOWLEDGED = gauge(
  'mailbox_unacknowledged_messages',
  'Estimated number of messages that connected clients have not acknowledged, from a sample of the connections.',
  ['app'],
);
const UNACKNOWLEDGED_AGE = gauge(
  'mailbox_unacknowledged_age_seconds',
  'Age of the oldest message that a connected client has not acknowledged, in a sample of the connections.',
  ['app'],
);

/** Measures the mailboxes of all gateway processes. */
@Injectable()
export class MailboxMetricsService {
  constructor(
    private readonly mailboxes: MailboxRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @OnScrape()
  async measure(): Promise<void> {
    const estimate = await this.mailboxes.estimate();
    if (!estimate) return;
    const { stored, unacknowledged, oldest } = estimate;
    STORED.set({ app: 'gateway' }, stored);
    UNACKNOWLEDGED.set({ app: 'gateway' }, unacknowledged);
    UNACKNOWLEDGED_AGE.set({ app: 'gateway' }, oldest === null ? 0 : Math.max(0, this.clock.now() - oldest) / 1_000);
  }
}
