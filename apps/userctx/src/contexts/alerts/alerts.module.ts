import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AlertSmsJob } from './alert-sms.job.js';
import { AlertSmsRepository } from './alert-sms.repository.js';
import { AlertSmsService } from './alert-sms.service.js';
import { OnAlertUndeliveredHandler } from './on-alert-undelivered.handler.js';

/** The last resort for urgent alerts. */
@Module({
  imports: [AccountsModule],
  providers: [AlertSmsJob, AlertSmsRepository, AlertSmsService, OnAlertUndeliveredHandler],
})
export class AlertsModule {}
