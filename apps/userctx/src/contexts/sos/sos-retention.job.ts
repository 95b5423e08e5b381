import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { SosRepository } from './sos.repository.js';

const INTERVAL_MS = 3_600_000;
/** A year. Milliseconds. */
const RETENTION_MS = 365 * 24 * 3_600_000;

/** Deletes resolved SOS calls older than a year. Runs once an hour. */
@Injectable()
export class SosRetentionJob extends PeriodicJob {
  constructor(private readonly repository: SosRepository) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    await this.repository.deleteResolved(now - RETENTION_MS);
  }
}
