import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { ActiveSos } from './active-sos.js';
import { WatchBindingRepository } from './binding/watch-binding.repository.js';
import { WatchBindingService } from './binding/watch-binding.service.js';
import { ChildRulesEventHandlers } from './child-rules/child-rules.event-handlers.js';
import { ChildRulesRepository } from './child-rules/child-rules.repository.js';
import { ChildRulesService } from './child-rules/child-rules.service.js';
import { DevicesController } from './devices.controller.js';
import { FirmwareGroupsService } from './firmware/firmware-groups.service.js';
import { FirmwareImagesService } from './firmware/firmware-images.service.js';
import { FirmwareEventHandlers } from './firmware/firmware.event-handlers.js';
import { FirmwareRepository } from './firmware/firmware.repository.js';
import { OperatorFirmwareController } from './firmware/operator-firmware.controller.js';
import { RolloutRepository } from './firmware/rollout.repository.js';
import { RolloutsService } from './firmware/rollouts.service.js';
import { WatchFirmwareController } from './firmware/watch-firmware.controller.js';
import { WatchUpdatesService } from './firmware/watch-updates.service.js';
import { EnrolmentListService } from './identity/enrolment-list.service.js';
import { WatchIdentityService } from './identity/watch-identity.service.js';
import { WatchNonces } from './identity/watch-nonces.js';
import { RemoteCommandRepository } from './remote-control/remote-command.repository.js';
import { RemoteControlController } from './remote-control/remote-control.controller.js';
import { RemoteControlEventHandlers } from './remote-control/remote-control.event-handlers.js';
import { RemoteControlService } from './remote-control/remote-control.service.js';
import { AlarmClocksController } from './settings/alarm-clocks.controller.js';
import { AlarmClocksService } from './settings/alarm-clocks.service.js';
import { DeviceSettingsController } from './settings/device-settings.controller.js';
import { DeviceSettingsService } from './settings/device-settings.service.js';
import { SchoolTimeRepository } from './settings/school-time.repository.js';
import { SchoolTimesController } from './settings/school-times.controller.js';
import { SchoolTimesService } from './settings/school-times.service.js';
import { SettingsChangesService } from './settings/settings-changes.service.js';
import { StrangerRuleRepository } from './settings/stranger-rule.repository.js';
import { StrangersController } from './settings/strangers.controller.js';
import { StrangersService } from './settings/strangers.service.js';
import { WatchPullController } from './settings/watch-pull.controller.js';
import { WatchPullService } from './settings/watch-pull.service.js';
import { WatchSettingsEventHandlers } from './settings/watch-settings.event-handlers.js';
import { WatchSettingsRepository } from './settings/watch-settings.repository.js';
import { StepsService } from './status/steps.service.js';
import { WatchListRepository } from './status/watch-list.repository.js';
import { WatchStatesService } from './status/watch-states.service.js';
import { WatchStatusRepository } from './status/watch-status.repository.js';
import { WatchStatusService } from './status/watch-status.service.js';
import { StepsController } from './steps.controller.js';
import { WatchDeviceController } from './watch-device.controller.js';
import { WatchRepository } from './watch.repository.js';
import { WatchesEventHandlers } from './watches.event-handlers.js';

/**
 * Watches: their keys and tokens, the binding to a child, what they report about themselves, the settings that
 * parents make for them, remote commands and firmware. Settings belong to the child; a replacement watch receives
 * them all.
 *
 * - Parts: `identity/` (enrolment, tokens), `binding/`, `status/` (battery, steps), `settings/` (alarm clocks, school
 *   time, strangers, device settings), `child-rules/` (what gateway enforces), `remote-control/`, `firmware/`.
 * - Tables: `alarm_clock`, `allowed_number`, `bind_code`, `blocked_call`, `child_rules`, `device_settings`,
 *   `enrolment_list_entry`, `firmware_deployment`, `firmware_group`, `firmware_group_member`, `firmware_image`,
 *   `firmware_rollout`, `remote_command`, `school_early_exit`, `school_pause`, `school_time`, `settings_version`,
 *   `step_day`, `stranger_rule`, `used_nonce`, `watch`, `watch_binding`, `watch_status`.
 * - Publishes: `userctx.child-rules.changed`, `userctx.firmware-image.withdrawn`, `userctx.firmware.installed`,
 *   `userctx.remote-command.cancelled`, `userctx.remote-command.queued`, `userctx.watch-settings.answered`,
 *   `userctx.watch-settings.changed`, `userctx.watch.bound`, `userctx.watch.lost-mode-changed`,
 *   `userctx.watch.unbound`.
 * - Needs: accounts, families.
 */
@Module({
  imports: [AccountsModule, FamiliesModule],
  controllers: [
    WatchDeviceController,
    DevicesController,
    StepsController,
    AlarmClocksController,
    SchoolTimesController,
    StrangersController,
    DeviceSettingsController,
    WatchPullController,
    RemoteControlController,
    OperatorFirmwareController,
    WatchFirmwareController,
  ],
  providers: [
    ActiveSos,
    EnrolmentListService,
    StepsService,
    WatchListRepository,
    WatchStatesService,
    WatchBindingRepository,
    WatchBindingService,
    WatchIdentityService,
    WatchesEventHandlers,
    WatchStatusRepository,
    WatchRepository,
    WatchNonces,
    WatchStatusService,
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
    ChildRulesRepository,
    ChildRulesService,
    ChildRulesEventHandlers,
    RemoteControlEventHandlers,
    RemoteCommandRepository,
    RemoteControlService,
    FirmwareEventHandlers,
    FirmwareGroupsService,
    FirmwareImagesService,
    FirmwareRepository,
    RolloutRepository,
    RolloutsService,
    WatchUpdatesService,
  ],
  exports: [
    ActiveSos,
    EnrolmentListService,
    WatchBindingRepository,
    WatchBindingService,
    WatchIdentityService,
    WatchStatesService,
    AlarmClocksService,
    DeviceSettingsService,
    SchoolTimesService,
    StrangersService,
    ChildRulesService,
    RemoteControlService,
  ],
})
export class WatchesModule {}
