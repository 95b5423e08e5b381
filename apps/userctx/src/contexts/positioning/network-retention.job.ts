import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { utcDayOf } from './utc-day.js';
import { RadioNetworkRepository } from './radio-network.repository.js';
import { DailySaltRepository } from './daily-salt.repository.js';

const EVERY = 3_600_000;
/** Days without being heard: then it is gone, or nobody goes there. */
const LEARNED_KEPT = 365;
/** Days for a second witness. */
const UNLEARNED_KEPT = 30;
/** Rows in one statement: short locks. */
const BATCH = 5_000;

/** Once an hour: silent networks are forgotten, and so is whatever could tell who heard one yesterday. */
@Injectable()
export class NetworkRetentionJob extends PeriodicJob {
  constructor(
    private readonly networks: RadioNetworkRepository,
    private readonly salts: DailySaltRepository,
  ) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    const today = utcDayOf(now);
    await this.salts.deleteBefore(today);
    const days = { learned: today - LEARNED_KEPT, unlearned: today - UNLEARNED_KEPT };
    while ((await this.networks.deleteUnseen(days, BATCH)) === BATCH);
  }
}
