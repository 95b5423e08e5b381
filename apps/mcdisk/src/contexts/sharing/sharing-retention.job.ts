import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { MediaGrantRepository } from './media-grant.repository.js';
import { ShareRepository } from './share.repository.js';

const INTERVAL_MS = 10 * 60_000;
const BATCH = 1_000;

/** Forgets shares and grants that are over; they open nothing since. Every replica runs it; they take different rows. */
@Injectable()
export class SharingRetentionJob extends PeriodicJob {
  constructor(
    private readonly shares: ShareRepository,
    private readonly grants: MediaGrantRepository,
  ) {
    super(INTERVAL_MS);
  }

  /** @param now Unix milliseconds */
  async run(now = Date.now()): Promise<void> {
    await this.shares.deleteOrphaned();
    while ((await this.shares.deleteExpired(now, BATCH)) === BATCH);
    while ((await this.grants.deleteExpired(now, BATCH)) === BATCH);
  }
}
