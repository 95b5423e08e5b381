import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildrenModule } from '../children/children.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchBindingRepository } from './binding/watch-binding.repository.js';
import { WatchBindingService } from './binding/watch-binding.service.js';
import { DevicesController } from './devices.controller.js';
import { EnrolmentListService } from './identity/enrolment-list.service.js';
import { WatchIdentityService } from './identity/watch-identity.service.js';
import { WatchSecrets } from './identity/watch-secrets.js';
import { StepsService } from './status/steps.service.js';
import { WatchStatusRepository } from './status/watch-status.repository.js';
import { WatchStatusService } from './status/watch-status.service.js';
import { WatchStatesService } from './status/watch-states.service.js';
import { StepsController } from './steps.controller.js';
import { WatchDeviceController } from './watch-device.controller.js';
import { WatchRepository } from './watch.repository.js';
import { WatchesEventHandlers } from './watches.event-handlers.js';

/** Watches: keys and tokens, bindings to children, and status. */
@Module({
  imports: [AccountsModule, FamiliesModule, ContactsModule, ChildrenModule],
  controllers: [WatchDeviceController, DevicesController, StepsController],
  providers: [
    EnrolmentListService,
    StepsService,
    WatchStatesService,
    WatchBindingRepository,
    WatchBindingService,
    WatchIdentityService,
    WatchesEventHandlers,
    WatchStatusRepository,
    WatchRepository,
    WatchSecrets,
    WatchStatusService,
  ],
  exports: [
    EnrolmentListService,
    WatchBindingRepository,
    WatchBindingService,
    WatchIdentityService,
    WatchRepository,
    WatchSecrets,
    WatchStatesService,
  ],
})
export class WatchesModule {}
