import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildrenModule } from '../children/children.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { LocationsModule } from '../locations/locations.module.js';
import { SmsModule } from '../sms/sms.module.js';
import { WatchSettingsModule } from '../watch-settings/watch-settings.module.js';
import { AlertSmsRepository } from './alert-sms.repository.js';
import { AlertSmsService } from './alert-sms.service.js';
import { SosEscalationService } from './sos-escalation.service.js';
import { SosController } from './sos.controller.js';
import { SosEventHandlers } from './sos.event-handlers.js';
import { SosRepository } from './sos.repository.js';
import { SosService } from './sos.service.js';

/**
 * SOS calls: raising, escalation, acknowledgement and resolution. A contact whose apps did not receive the alert gets
 * an SMS immediately.
 */
@Module({
  imports: [
    AccountsModule,
    ChildrenModule,
    FamiliesModule,
    ContactsModule,
    LocationsModule,
    SmsModule,
    WatchSettingsModule,
  ],
  controllers: [SosController],
  providers: [AlertSmsRepository, AlertSmsService, SosEventHandlers, SosEscalationService, SosRepository, SosService],
  exports: [SosService],
})
export class SosModule {}
