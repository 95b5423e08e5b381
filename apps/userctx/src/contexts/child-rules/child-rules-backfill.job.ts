import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { ChildRulesRepository } from './child-rules.repository.js';
import { ChildRulesService } from './child-rules.service.js';

const INTERVAL_MS = 5_000;
const BATCH_SIZE = 100;

/** Publishes rules for children that were created before child rules existed, in batches. */
@Injectable()
export class ChildRulesBackfillJob extends PeriodicJob {
  constructor(
    private readonly publishedRules: ChildRulesRepository,
    private readonly rules: ChildRulesService,
  ) {
    super(INTERVAL_MS);
  }

  async run(): Promise<void> {
    for (let found = BATCH_SIZE; found === BATCH_SIZE;) {
      const unpublished = await this.publishedRules.findUnpublished(BATCH_SIZE);
      for (const { familyId, cid } of unpublished) await this.rules.publishIfChanged(familyId, cid);
      found = unpublished.length;
    }
  }
}
