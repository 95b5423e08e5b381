import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { LocationsModule } from '../locations/locations.module.js';
import { SmsModule } from '../sms/sms.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { AlertSmsRepository } from './alert-sms.repository.js';
import { AlertSmsService } from './alert-sms.service.js';
import { SosEscalationService } from './sos-escalation.service.js';
import { SosController } from './sos.controller.js';
import { SosEventHandlers } from './sos.event-handlers.js';
import { SosRepository } from './sos.repository.js';
import { SosService } from './sos.service.js';

/**
 * SOS calls: raising, escalation, acknowledgement and resolution. A member whose apps did not receive the alert gets an
 * SMS without waiting for the own turn; docs/decisions/22-sos.md gives the reasons. Tells the room `watches`, by
 * `ActiveSos`, whether a child has an unresolved SOS.
 *
 * - Tables: `alert_sms`, `sos`, `sos_raise`, `sos_step`.
 * - Publishes: `userctx.sos.acknowledged`, `userctx.sos.escalated`, `userctx.sos.raised`, `userctx.sos.resolved`.
 * - Needs: sms, accounts, families, watches, locations.
 */
@Module({
  imports: [AccountsModule, FamiliesModule, LocationsModule, SmsModule, WatchesModule],
  controllers: [SosController],
  providers: [AlertSmsRepository, AlertSmsService, SosEventHandlers, SosEscalationService, SosRepository, SosService],
  exports: [SosService],
})
export class SosModule {}
