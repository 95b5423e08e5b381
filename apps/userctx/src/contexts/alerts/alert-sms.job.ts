import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { AlertSmsService } from './alert-sms.service.js';

const EVERY_MS = 1_000;
const ROUNDS_PER_PRUNE = 3_600;

/** Every second, on every replica: sends the alerts that no app has taken; once an hour forgets those of yesterday. */
@Injectable()
export class AlertSmsJob extends PeriodicJob {
  private rounds = 0;

  constructor(private readonly alerts: AlertSmsService) {
    super(EVERY_MS);
  }

  async run(): Promise<void> {
    while ((await this.alerts.sendDue()) > 0);
    this.rounds += 1;
    if (this.rounds % ROUNDS_PER_PRUNE === 0) await this.alerts.prune();
  }
}
