import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { FriendCodeRepository } from './friend-code.repository.js';

const EVERY = 60_000;

/** Once a minute, codes that have run out are removed. */
@Injectable()
export class FriendCodeExpiryJob extends PeriodicJob {
  constructor(private readonly codes: FriendCodeRepository) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    await this.codes.deleteExpired(now);
  }
}
