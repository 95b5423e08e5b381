import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { AlertRecipients } from './alert-recipients.service.js';
import { AlertSmsJob } from './alert-sms.job.js';
import { AlertSmsRepository } from './alert-sms.repository.js';
import { AlertSmsService } from './alert-sms.service.js';

/** The last resort for urgent alerts: a message to the phones of a child's contacts. */
@Module({
  imports: [AccountsModule, FamiliesModule, ContactsModule],
  providers: [AlertRecipients, AlertSmsJob, AlertSmsRepository, AlertSmsService],
  exports: [AlertRecipients, AlertSmsService],
})
export class AlertsModule {}
