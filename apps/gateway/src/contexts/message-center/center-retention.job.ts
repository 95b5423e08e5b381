import { Inject, Injectable } from '@nestjs/common';
import { CENTER_MESSAGE_RETENTION_MS } from '@family-watch/domain/messages/contracts/message-center';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { CenterMessageRepository } from './center-message.repository.js';

const INTERVAL_MS = 60 * 60 * 1_000;
const BATCH_SIZE = 2_000;

/** Deletes center messages whose retention period is over, in batches, every hour. */
@Injectable()
export class CenterRetentionJob extends PeriodicJob {
  constructor(
    private readonly messages: CenterMessageRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(INTERVAL_MS);
  }

  async run(): Promise<void> {
    const before = this.clock.now() - CENTER_MESSAGE_RETENTION_MS;
    while ((await this.messages.prune(before, BATCH_SIZE)) === BATCH_SIZE);
  }
}
