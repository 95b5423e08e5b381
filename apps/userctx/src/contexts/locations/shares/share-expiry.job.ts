import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { SharesService } from './shares.service.js';

const EVERY = 30_000;

/** A link opens nothing from the moment it expires; guardians are told by the next round. */
@Injectable()
export class ShareExpiryJob extends PeriodicJob {
  constructor(private readonly shares: SharesService) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    await this.shares.endExpired(now);
  }
}
