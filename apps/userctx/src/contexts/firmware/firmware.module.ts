import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildrenModule } from '../children/children.module.js';
import { SosModule } from '../sos/sos.module.js';
import { WatchSettingsModule } from '../watch-settings/watch-settings.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { FirmwareEventHandlers } from './firmware.event-handlers.js';
import { FirmwareGroupsService } from './firmware-groups.service.js';
import { FirmwareImagesService } from './firmware-images.service.js';
import { FirmwareRepository } from './firmware.repository.js';
import { OperatorFirmwareController } from './operator-firmware.controller.js';
import { RolloutRepository } from './rollout.repository.js';
import { RolloutsService } from './rollouts.service.js';
import { WatchFirmwareController } from './watch-firmware.controller.js';
import { WatchUpdatesService } from './watch-updates.service.js';

/** Firmware of watches: signed images, groups of watches, rollouts in waves, and the update of each watch. */
@Module({
  imports: [AccountsModule, ChildrenModule, SosModule, WatchSettingsModule, WatchesModule],
  controllers: [OperatorFirmwareController, WatchFirmwareController],
  providers: [
    FirmwareEventHandlers,
    FirmwareGroupsService,
    FirmwareImagesService,
    FirmwareRepository,
    RolloutRepository,
    RolloutsService,
    WatchUpdatesService,
  ],
})
export class FirmwareModule {}
