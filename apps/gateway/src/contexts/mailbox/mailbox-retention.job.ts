import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { MailboxRepository } from './mailbox.repository.js';
import { SessionCursorRepository } from './session-cursor.repository.js';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** Messages are deleted by age, not by acknowledgement: another phone may still need them. */
const MESSAGE_RETENTION_MS = 30 * DAY_MS;
/** Time after which the cursor of an unused session is deleted: longer than the session is valid. */
const SESSION_RETENTION_MS = 120 * DAY_MS;
const BATCH_SIZE = 2_000;

/** Deletes expired messages and session cursors in batches, every hour. */
@Injectable()
export class MailboxRetentionJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly mailboxes: MailboxRepository,
    private readonly sessions: SessionCursorRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(HOUR_MS);
  }

  async run(): Promise<void> {
    const before = this.clock.now() - MESSAGE_RETENTION_MS;
    for (;;) {
      const principals = await this.mailboxes.findPrincipalsWithMessagesBefore(before, BATCH_SIZE);
      if (principals.length === 0) break;
      await this.unitOfWork.run(() => this.mailboxes.prune(principals, before));
    }
    await this.sessions.deleteUnseenSince(this.clock.now() - SESSION_RETENTION_MS);
  }
}
