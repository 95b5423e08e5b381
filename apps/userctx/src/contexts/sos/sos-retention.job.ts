import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { SosRepository } from './sos.repository.js';

const EVERY = 3_600_000;
/** A year. Milliseconds. */
const KEPT = 365 * 24 * 3_600_000;

/** Once an hour, resolved calls of more than a year ago are removed. */
@Injectable()
export class SosRetentionJob extends PeriodicJob {
  constructor(private readonly calls: SosRepository) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    await this.calls.deleteResolved(now - KEPT);
  }
}
