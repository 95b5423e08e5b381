import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { ChildRulesLookupService } from './child-rules-lookup.service.js';

/** Milliseconds. Signals may be lost; what parents forbid must hold within two seconds all the same. */
const EVERY = 1_000;
/** How much further back than the last round one looks: longer than a commit takes to become visible. */
const OVERLAP = 20_000;

/** Every second, rules in memory that others have replaced are forgotten. */
@Injectable()
export class ChildRulesRefreshJob extends PeriodicJob {
  private checkedAt = performance.now();

  constructor(private readonly rules: ChildRulesLookupService) {
    super(EVERY);
  }

  async run(): Promise<void> {
    const now = performance.now();
    await this.rules.invalidateChangedWithin(Math.ceil(now - this.checkedAt) + OVERLAP);
    this.checkedAt = now;
  }
}
