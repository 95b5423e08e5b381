import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { LocationRequestRepository } from './location-request.repository.js';

const INTERVAL_MS = 60_000;
/**
 * Milliseconds after the deadline at which a request expires, because a report that was received before the deadline
 * may be processed later.
 */
const LATE_REPORT_GRACE_MS = 60_000;
/** Location requests are retained as long as location points: 30 days in milliseconds. */
const RETENTION_MS = 30 * 24 * 3_600_000;

/** Expires unanswered location requests and deletes old ones. */
@Injectable()
export class LocationRequestExpiryJob extends PeriodicJob {
  constructor(private readonly requests: LocationRequestRepository) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    await this.requests.expire(now - LATE_REPORT_GRACE_MS);
    await this.requests.deleteOld(now - RETENTION_MS);
  }
}
