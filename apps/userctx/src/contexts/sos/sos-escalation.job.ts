import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { SosEscalationService } from './sos-escalation.service.js';

const INTERVAL_MS = 1_000;

/**
 * Processes due escalation steps every second, on every replica. The steps are stored in the database and survive a
 * restart.
 */
@Injectable()
export class SosEscalationJob extends PeriodicJob {
  constructor(private readonly escalation: SosEscalationService) {
    super(INTERVAL_MS);
  }

  async run(): Promise<void> {
    while ((await this.escalation.processDue()) > 0);
  }
}
