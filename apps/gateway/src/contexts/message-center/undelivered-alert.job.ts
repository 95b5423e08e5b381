import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { UrgentAlertsService } from './urgent-alerts.service.js';

const EVERY_MS = 1_000;

/** Every second, on every node: urgent alerts that nobody has taken in time are told to userctx. */
@Injectable()
export class UndeliveredAlertJob extends PeriodicJob {
  constructor(private readonly alerts: UrgentAlertsService) {
    super(EVERY_MS);
  }

  async run(): Promise<void> {
    while ((await this.alerts.processDue()) > 0);
  }
}
