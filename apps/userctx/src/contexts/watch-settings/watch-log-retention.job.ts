import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { EarlyExitRepository } from './school-times/early-exit.repository.js';
import { BlockedCallRepository } from './strangers/blocked-call.repository.js';
import { StrangerRuleRepository } from './strangers/stranger-rule.repository.js';

/** Ninety days, as long as chat is kept. Milliseconds. */
export const WATCH_LOG_RETENTION_MS = 90 * 86_400_000;
const EVERY = 3_600_000;

/** Once an hour, what watches reported long ago and numbers that may not call any more are removed. */
@Injectable()
export class WatchLogRetentionJob extends PeriodicJob {
  constructor(
    private readonly blockedCalls: BlockedCallRepository,
    private readonly earlyExits: EarlyExitRepository,
    private readonly strangers: StrangerRuleRepository,
  ) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    await this.blockedCalls.deleteReportedBefore(now - WATCH_LOG_RETENTION_MS);
    await this.earlyExits.deleteReportedBefore(now - WATCH_LOG_RETENTION_MS);
    await this.strangers.deleteExpired(now);
  }
}
