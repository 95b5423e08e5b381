import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { PointCorrectionRepository } from './point-correction.repository.js';

const INTERVAL_MS = 3_600_000;
/** 30 days in milliseconds, the retention of location points. */
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
