import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { FriendCodeRepository } from './friend-code.repository.js';

const INTERVAL_MS = 60_000;

/** Deletes expired friend codes once a minute. */
@Injectable()
export class FriendCodeExpiryJob extends PeriodicJob {
  constructor(private readonly codes: FriendCodeRepository) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    await this.codes.deleteExpired(now);
  }
}
