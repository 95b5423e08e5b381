import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { utcDayOf } from './utc-day.js';
import { RadioNetworkRepository } from './radio-network.repository.js';
import { DailySaltRepository } from './daily-salt.repository.js';

const INTERVAL_MS = 3_600_000;
/** Days without a sighting after which a confirmed network is deleted. */
const CONFIRMED_RETENTION_DAYS = 365;
/** Days without a sighting after which an unconfirmed network is deleted. */
const UNCONFIRMED_RETENTION_DAYS = 30;
/** Maximum number of rows per statement, which limits how long rows are locked. */
const BATCH_SIZE = 5_000;

/** Deletes networks that were not observed for a long time, and salts of past days. Runs once an hour. */
@Injectable()
export class NetworkRetentionJob extends PeriodicJob {
  constructor(
    private readonly networks: RadioNetworkRepository,
    private readonly salts: DailySaltRepository,
  ) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    const today = utcDayOf(now);
    await this.salts.deleteBefore(today);
    const days = { confirmed: today - CONFIRMED_RETENTION_DAYS, unconfirmed: today - UNCONFIRMED_RETENTION_DAYS };
    while ((await this.networks.deleteUnobserved(days, BATCH_SIZE)) === BATCH_SIZE);
  }
}
