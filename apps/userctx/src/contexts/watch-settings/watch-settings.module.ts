import { Module } from '@nestjs/common';
import { ChildrenModule } from '../children/children.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { AlarmClocksController } from './alarm-clocks.controller.js';
import { AlarmClocksService } from './alarm-clocks.service.js';
import { DeviceSettingsController } from './device-settings.controller.js';
import { DeviceSettingsService } from './device-settings.service.js';
import { SchoolTimeRepository } from './school-time.repository.js';
import { SchoolTimesController } from './school-times.controller.js';
import { SchoolTimesService } from './school-times.service.js';
import { SettingsChangesService } from './settings-changes.service.js';
import { StrangerRuleRepository } from './stranger-rule.repository.js';
import { StrangersController } from './strangers.controller.js';
import { StrangersService } from './strangers.service.js';
import { WatchPullController } from './watch-pull.controller.js';
import { WatchPullService } from './watch-pull.service.js';
import { WatchSettingsEventHandlers } from './watch-settings.event-handlers.js';
import { WatchSettingsRepository } from './watch-settings.repository.js';

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
    WatchSettingsRepository,
    SettingsChangesService,
    WatchSettingsEventHandlers,
    AlarmClocksService,
    SchoolTimeRepository,
    SchoolTimesService,
    StrangerRuleRepository,
    StrangersService,
    DeviceSettingsService,
    WatchPullService,
  ],
  exports: [AlarmClocksService, DeviceSettingsService, SchoolTimesService, StrangersService],
})
export class WatchSettingsModule {}
