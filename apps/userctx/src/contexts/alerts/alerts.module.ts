import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { AlertRecipientsService } from './alert-recipients.service.js';
import { AlertSmsRepository } from './alert-sms.repository.js';
import { AlertSmsService } from './alert-sms.service.js';

/** Sends an SMS to a child's contacts when an urgent alert reached none of their apps. */
@Module({
  imports: [AccountsModule, FamiliesModule, ContactsModule],
  providers: [AlertRecipientsService, AlertSmsRepository, AlertSmsService],
  exports: [AlertRecipientsService, AlertSmsService],
})
export class AlertsModule {}
