import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { MediaGrantRepository } from './media-grant.repository.js';
import { ShareRepository } from './share.repository.js';

const INTERVAL_MS = 10 * 60_000;
const BATCH_SIZE = 1_000;

/**
 * Deletes expired shares and grants, which are already ineffective. Every replica runs this job; replicas process
 * different rows.
 */
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
    while ((await this.shares.deleteExpired(now, BATCH_SIZE)) === BATCH_SIZE);
    while ((await this.grants.deleteExpired(now, BATCH_SIZE)) === BATCH_SIZE);
  }
}
