import { Inject, Injectable } from '@nestjs/common';
import { CALL_LOG_RETENTION_MS } from '@family-watch/domain/messages/contracts/video-call';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { CallLogRepository } from './call-log.repository.js';

const HOUR_MS = 60 * 60 * 1_000;
const ROWS_AT_ONCE = 2_000;

/** Deletes calls that are older than the log keeps them, a little at a time, every hour. */
@Injectable()
export class CallRetentionJob extends PeriodicJob {
  constructor(
    private readonly log: CallLogRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(HOUR_MS);
  }

  async run(): Promise<void> {
    const before = this.clock.now() - CALL_LOG_RETENTION_MS;
    while ((await this.log.prune(before, ROWS_AT_ONCE)) === ROWS_AT_ONCE);
  }
}
