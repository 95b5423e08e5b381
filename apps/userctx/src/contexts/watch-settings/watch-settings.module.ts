import { Module } from '@nestjs/common';
import { ChildrenModule } from '../children/children.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { AlarmClockRepository } from './alarm-clocks/alarm-clock.repository.js';
import { AlarmClocksController } from './alarm-clocks/alarm-clocks.controller.js';
import { AlarmClocksService } from './alarm-clocks/alarm-clocks.service.js';
import { ChildTimeZoneService } from './child-time-zone.service.js';
import { DeviceSettingsController } from './device-settings/device-settings.controller.js';
import { DeviceSettingsRepository } from './device-settings/device-settings.repository.js';
import { DeviceSettingsService } from './device-settings/device-settings.service.js';
import { LiveTrackingService } from './device-settings/live-tracking.service.js';
import { ReportingWatchService } from './reporting-watch.service.js';
import { EarlyExitRepository } from './school-times/early-exit.repository.js';
import { EarlyExitsService } from './school-times/early-exits.service.js';
import { SchoolSchedulesService } from './school-times/school-schedules.service.js';
import { SchoolTimeRepository } from './school-times/school-time.repository.js';
import { SchoolTimesController } from './school-times/school-times.controller.js';
import { SchoolTimesService } from './school-times/school-times.service.js';
import { BlockedCallRepository } from './strangers/blocked-call.repository.js';
import { BlockedCallsService } from './strangers/blocked-calls.service.js';
import { StrangerRuleRepository } from './strangers/stranger-rule.repository.js';
import { StrangersController } from './strangers/strangers.controller.js';
import { StrangersService } from './strangers/strangers.service.js';
import { SettingsAcksService } from './versions/settings-acks.service.js';
import { SettingsChangesService } from './versions/settings-changes.service.js';
import { SettingsVersionRepository } from './versions/settings-version.repository.js';
import { WatchPullController } from './watch-pull.controller.js';
import { WatchPullService } from './watch-pull.service.js';
import { WatchSettingsEventHandlers } from './watch-settings.event-handlers.js';

/**
 * Settings that parents make for a child's watch. Settings belong to the child; a replacement watch receives all
 * settings.
 */
@Module({
  imports: [FamiliesModule, ChildrenModule, ContactsModule, WatchesModule],
  controllers: [
    AlarmClocksController,
    SchoolTimesController,
    StrangersController,
    DeviceSettingsController,
    WatchPullController,
  ],
  providers: [
    SettingsVersionRepository,
    SettingsChangesService,
    SettingsAcksService,
    WatchSettingsEventHandlers,
    AlarmClockRepository,
    AlarmClocksService,
    SchoolTimeRepository,
    SchoolTimesService,
    SchoolSchedulesService,
    EarlyExitRepository,
    EarlyExitsService,
    StrangerRuleRepository,
    StrangersService,
    BlockedCallRepository,
    BlockedCallsService,
    DeviceSettingsRepository,
    DeviceSettingsService,
    LiveTrackingService,
    ChildTimeZoneService,
    ReportingWatchService,
    WatchPullService,
  ],
  exports: [LiveTrackingService, SchoolSchedulesService],
})
export class WatchSettingsModule {}
