import { Module } from '@nestjs/common';
import { ChildrenModule } from '../children/children.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { AlarmClockRepository } from './alarm-clocks/alarm-clock.repository.js';
import { AlarmClocksController } from './alarm-clocks/alarm-clocks.controller.js';
import { AlarmClocksService } from './alarm-clocks/alarm-clocks.service.js';
import { ChildTimeZone } from './child-time-zone.service.js';
import { DeviceSettingsController } from './device-settings/device-settings.controller.js';
import { DeviceSettingsRepository } from './device-settings/device-settings.repository.js';
import { DeviceSettingsService } from './device-settings/device-settings.service.js';
import { LocationModes } from './device-settings/location-modes.service.js';
import { OnChildErasedHandler } from './on-child-erased.handler.js';
import { Reporters } from './reporters.service.js';
import { EarlyExitRepository } from './school-times/early-exit.repository.js';
import { EarlyExitsService } from './school-times/early-exits.service.js';
import { SchoolSchedules } from './school-times/school-schedules.service.js';
import { SchoolTimeRepository } from './school-times/school-time.repository.js';
import { SchoolTimesController } from './school-times/school-times.controller.js';
import { SchoolTimesService } from './school-times/school-times.service.js';
import { BlockedCallRepository } from './strangers/blocked-call.repository.js';
import { BlockedCallsService } from './strangers/blocked-calls.service.js';
import { StrangerRuleRepository } from './strangers/stranger-rule.repository.js';
import { StrangersController } from './strangers/strangers.controller.js';
import { StrangersService } from './strangers/strangers.service.js';
import { OnSettingsAcknowledgedHandler } from './versions/on-settings-acknowledged.handler.js';
import { OnTimeZoneChangedHandler } from './versions/on-time-zone-changed.handler.js';
import { OnWatchBoundHandler } from './versions/on-watch-bound.handler.js';
import { SettingsAnswers } from './versions/settings-answers.service.js';
import { SettingsChanges } from './versions/settings-changes.service.js';
import { SettingsVersionRepository } from './versions/settings-version.repository.js';
import { WatchLogRetentionJob } from './watch-log-retention.job.js';
import { WatchPullController } from './watch-pull.controller.js';
import { WatchPull } from './watch-pull.service.js';

/** What parents set for a child's watch. It belongs to the child: a replaced watch is told of all of it. */
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
    ...[
      SettingsVersionRepository,
      SettingsChanges,
      SettingsAnswers,
      OnSettingsAcknowledgedHandler,
      OnWatchBoundHandler,
      OnTimeZoneChangedHandler,
    ],
    ...[AlarmClockRepository, AlarmClocksService],
    ...[SchoolTimeRepository, SchoolTimesService, SchoolSchedules, EarlyExitRepository, EarlyExitsService],
    ...[StrangerRuleRepository, StrangersService, BlockedCallRepository, BlockedCallsService],
    ...[DeviceSettingsRepository, DeviceSettingsService, LocationModes],
    ...[ChildTimeZone, Reporters, WatchPull, WatchLogRetentionJob, OnChildErasedHandler],
  ],
  exports: [LocationModes, SchoolSchedules],
})
export class WatchSettingsModule {}
