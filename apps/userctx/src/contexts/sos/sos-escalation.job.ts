import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { SosEscalationService } from './sos-escalation.service.js';

const EVERY_MS = 1_000;

/** Every second, on every replica: the steps that are due. They stand in the database, so a restart forgets none. */
@Injectable()
export class SosEscalationJob extends PeriodicJob {
  constructor(private readonly escalation: SosEscalationService) {
    super(EVERY_MS);
  }

  async run(): Promise<void> {
    while ((await this.escalation.processDue()) > 0);
  }
}
