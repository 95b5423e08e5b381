import { Inject, Injectable } from '@nestjs/common';
import { CALL_LOG_RETENTION_MS } from '@family-watch/domain/messages/contracts/video-call';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { CallLogRepository } from './call-log.repository.js';

const INTERVAL_MS = 60 * 60 * 1_000;
const BATCH_SIZE = 2_000;

/** Deletes calls whose retention period is over, in batches, every hour. */
@Injectable()
export class CallRetentionJob extends PeriodicJob {
  constructor(
    private readonly log: CallLogRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(INTERVAL_MS);
  }

  async run(): Promise<void> {
    const before = this.clock.now() - CALL_LOG_RETENTION_MS;
    while ((await this.log.prune(before, BATCH_SIZE)) === BATCH_SIZE);
  }
}
