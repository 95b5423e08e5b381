import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { MailboxRepository } from './mailbox.repository.js';
import { SessionCursorRepository } from './session-cursor.repository.js';

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;
/** Messages live by age, not by acknowledgement: another phone may still want them. */
const MESSAGE_RETENTION = 30 * DAY;
/** Longer than a sign-in lasts without being used. */
const SESSION_RETENTION = 120 * DAY;
const ROWS_AT_ONCE = 2_000;

/** Deletes what is older than the mailboxes keep, a little at a time, every hour. */
@Injectable()
export class MailboxRetentionJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly mailboxes: MailboxRepository,
    private readonly sessions: SessionCursorRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(HOUR);
  }

  async run(): Promise<void> {
    const before = this.clock.now() - MESSAGE_RETENTION;
    for (;;) {
      const principals = await this.mailboxes.findPrincipalsWithMessagesBefore(before, ROWS_AT_ONCE);
      if (principals.length === 0) break;
      await this.unitOfWork.run(() => this.mailboxes.prune(principals, before));
    }
    await this.sessions.deleteUnseenSince(this.clock.now() - SESSION_RETENTION);
  }
}
