import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { ChildRulesLookupService } from './child-rules-lookup.service.js';

/**
 * Milliseconds between two queries: pub/sub may lose messages, but a restriction must take effect within two seconds.
 */
const INTERVAL_MS = 1_000;
/** Milliseconds by which each query overlaps the previous query: longer than a commit takes to become visible. */
const OVERLAP_MS = 20_000;

/** Invalidates cached rules that were replaced in the database, every second. */
@Injectable()
export class ChildRulesRefreshJob extends PeriodicJob {
  private checkedAt = performance.now();

  constructor(private readonly rules: ChildRulesLookupService) {
    super(INTERVAL_MS);
  }

  async run(): Promise<void> {
    const now = performance.now();
    await this.rules.invalidateChangedWithin(Math.ceil(now - this.checkedAt) + OVERLAP_MS);
    this.checkedAt = now;
  }
}
