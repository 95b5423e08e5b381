import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { PointCorrectionRepository } from './point-correction.repository.js';

const EVERY = 3_600_000;
/** As long as positions: 30 days. Milliseconds. */
const KEPT = 30 * 24 * 3_600_000;

/** What was said about a position goes when the position goes. */
@Injectable()
export class PointCorrectionRetentionJob extends PeriodicJob {
  constructor(private readonly reports: PointCorrectionRepository) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    await this.reports.deleteOld(now - KEPT);
  }
}
