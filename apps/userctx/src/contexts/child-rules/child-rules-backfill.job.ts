import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { ChildRulesRepository } from './child-rules.repository.js';
import { ChildRulesService } from './child-rules.service.js';

/** Milliseconds. */
const EVERY = 5_000;
const AT_ONCE = 100;

/** Children that are older than the rules have theirs told once, a few at a time. */
@Injectable()
export class ChildRulesBackfillJob extends PeriodicJob {
  constructor(
    private readonly told: ChildRulesRepository,
    private readonly rules: ChildRulesService,
  ) {
    super(EVERY);
  }

  async run(): Promise<void> {
    for (let found = AT_ONCE; found === AT_ONCE;) {
      const untold = await this.told.findUnpublished(AT_ONCE);
      for (const { familyId, cid } of untold) await this.rules.publishIfChanged(familyId, cid);
      found = untold.length;
    }
  }
}
