import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { EarlyExitRepository } from './school-times/early-exit.repository.js';
import { BlockedCallRepository } from './strangers/blocked-call.repository.js';
import { StrangerRuleRepository } from './strangers/stranger-rule.repository.js';

/** The logs of calls and early exits are retained as long as chat messages: 90 days, in milliseconds. */
export const WATCH_LOG_RETENTION_MS = 90 * 86_400_000;
const INTERVAL_MS = 3_600_000;

/** Deletes old reports of watches and expired allowed numbers. Runs once an hour. */
@Injectable()
export class WatchLogRetentionJob extends PeriodicJob {
  constructor(
    private readonly blockedCalls: BlockedCallRepository,
    private readonly earlyExits: EarlyExitRepository,
    private readonly strangers: StrangerRuleRepository,
  ) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    await this.blockedCalls.deleteReportedBefore(now - WATCH_LOG_RETENTION_MS);
    await this.earlyExits.deleteReportedBefore(now - WATCH_LOG_RETENTION_MS);
    await this.strangers.deleteExpired(now);
  }
}
