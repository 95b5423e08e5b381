import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { LocationRequestRepository } from './location-request.repository.js';

const EVERY = 60_000;
/** A report that came in time may be handled this much later. Milliseconds. */
const LATE_REPORTS = 60_000;
/** As long as positions: 30 days. Milliseconds. */
const KEPT = 30 * 24 * 3_600_000;

/** Ends questions that nobody answered, and removes old ones. */
@Injectable()
export class LocationRequestExpiryJob extends PeriodicJob {
  constructor(private readonly asks: LocationRequestRepository) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    await this.asks.expire(now - LATE_REPORTS);
    await this.asks.deleteOld(now - KEPT);
  }
}
