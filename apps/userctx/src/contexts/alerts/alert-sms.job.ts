import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { AlertSmsService } from './alert-sms.service.js';

const EVERY_MS = 1_000;

/** Every second, on every replica: sends the alerts that are due. */
@Injectable()
export class AlertSmsJob extends PeriodicJob {
  constructor(private readonly alerts: AlertSmsService) {
    super(EVERY_MS);
  }

  async run(): Promise<void> {
    while ((await this.alerts.sendDue()) > 0);
  }
}
