import { Injectable } from '@nestjs/common';
import { CHILD_RESTORE_WINDOW_MS } from '@family-watch/domain/children/contracts/child';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { FamilyRepository } from '../family.repository.js';

const INTERVAL_MS = 60_000;

/** Permanently deletes dissolved families whose children can no longer be restored, once a minute. */
@Injectable()
export class FamilyErasureJob extends PeriodicJob {
  constructor(private readonly families: FamilyRepository) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    await this.families.deleteDissolved(now - CHILD_RESTORE_WINDOW_MS);
  }
}
