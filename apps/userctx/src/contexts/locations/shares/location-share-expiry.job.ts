import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { LocationSharesService } from './location-shares.service.js';

const EVERY = 30_000;

/** A link opens nothing from the moment it expires; guardians are told by the next round. */
@Injectable()
export class LocationShareExpiryJob extends PeriodicJob {
  constructor(private readonly shares: LocationSharesService) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    await this.shares.endExpired(now);
  }
}
