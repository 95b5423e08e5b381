import { Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { LocationsModule } from '../locations/locations.module.js';
import { WatchSettingsModule } from '../watch-settings/watch-settings.module.js';
import { SosEscalationService } from './sos-escalation.service.js';
import { SosStepRepository } from './sos-step.repository.js';
import { SosTimerRepository } from './sos-timer.repository.js';
import { SosController } from './sos.controller.js';
import { SosEventHandlers } from './sos.event-handlers.js';
import { SosRepository } from './sos.repository.js';
import { SosService } from './sos.service.js';

/** SOS calls: raising, escalation, acknowledgement and resolution. */
@Module({
  imports: [FamiliesModule, LocationsModule, WatchSettingsModule, AlertsModule],
  controllers: [SosController],
  providers: [SosEventHandlers, SosEscalationService, SosStepRepository, SosTimerRepository, SosRepository, SosService],
  exports: [SosService],
})
export class SosModule {}
