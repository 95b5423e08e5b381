import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { LocationSharesService } from './location-shares.service.js';

const INTERVAL_MS = 30_000;

/** Publishes the end of expired shares to the guardians. The links stop working at expiry, before this job runs. */
@Injectable()
export class LocationShareExpiryJob extends PeriodicJob {
  constructor(private readonly shares: LocationSharesService) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    await this.shares.endExpired(now);
  }
}
