import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { AlertRecipientsService } from './alert-recipients.service.js';
import { AlertSmsJob } from './alert-sms.job.js';
import { AlertSmsRepository } from './alert-sms.repository.js';
import { AlertSmsService } from './alert-sms.service.js';

/** Last resort for urgent alerts: SMS to the phones of a child's contacts. */
@Module({
  imports: [AccountsModule, FamiliesModule, ContactsModule],
  providers: [AlertRecipientsService, AlertSmsJob, AlertSmsRepository, AlertSmsService],
  exports: [AlertRecipientsService, AlertSmsService],
})
export class AlertsModule {}
