import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { UrgentAlertsService } from './urgent-alerts.service.js';

const INTERVAL_MS = 1_000;

/**
 * Publishes an event for userctx about each urgent alert that no device received in time. Runs every second on every
 * node.
 */
@Injectable()
export class UndeliveredAlertJob extends PeriodicJob {
  constructor(private readonly alerts: UrgentAlertsService) {
    super(INTERVAL_MS);
  }

  async run(): Promise<void> {
    while ((await this.alerts.processDueAlerts()) > 0);
  }
}
