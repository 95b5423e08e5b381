import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { PointCorrectionRepository } from './point-correction.repository.js';

const INTERVAL_MS = 3_600_000;
/** Corrections are retained as long as location points: 30 days in milliseconds. */
const RETENTION_MS = 30 * 24 * 3_600_000;

/** Deletes corrections when their points reach the end of their retention. */
@Injectable()
export class PointCorrectionRetentionJob extends PeriodicJob {
  constructor(private readonly corrections: PointCorrectionRepository) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    await this.corrections.deleteOld(now - RETENTION_MS);
  }
}
