import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { AlertSmsService } from './alert-sms.service.js';

const INTERVAL_MS = 1_000;

/** Sends due alerts every second, on every replica. */
@Injectable()
export class AlertSmsJob extends PeriodicJob {
  constructor(private readonly alerts: AlertSmsService) {
    super(INTERVAL_MS);
  }

  async run(): Promise<void> {
    while ((await this.alerts.sendDue()) > 0);
  }
}
