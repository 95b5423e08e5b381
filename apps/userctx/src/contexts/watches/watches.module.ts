import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildrenModule } from '../children/children.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { BindCodeRepository } from './binding/bind-code.repository.js';
import { BindCodeService } from './binding/bind-code.service.js';
import { BindingHistoryService } from './binding/binding-history.service.js';
import { WatchBindingRepository } from './binding/watch-binding.repository.js';
import { WatchBindingService } from './binding/watch-binding.service.js';
import { DeviceService } from './device.service.js';
import { DevicesController } from './devices.controller.js';
import { EnrolmentListRepository } from './identity/enrolment-list.repository.js';
import { EnrolmentService } from './identity/enrolment.service.js';
import { UsedNonceRepository } from './identity/used-nonce.repository.js';
import { WatchRevocationService } from './identity/watch-revocation.service.js';
import { WatchSecrets } from './identity/watch-secrets.js';
import { WatchTokenService } from './identity/watch-token.service.js';
import { DailyStepsRepository } from './status/daily-steps.repository.js';
import { WatchStatusRepository } from './status/watch-status.repository.js';
import { WatchStatusService } from './status/watch-status.service.js';
import { WatchDeviceController } from './watch-device.controller.js';
import { WatchViewRepository } from './watch-view.repository.js';
import { WatchRepository } from './watch.repository.js';
import { WatchesEventHandlers } from './watches.event-handlers.js';

/** Watches: keys and tokens, bindings to children, and status. */
@Module({
  imports: [AccountsModule, FamiliesModule, ContactsModule, ChildrenModule],
  controllers: [WatchDeviceController, DevicesController],
  providers: [
    BindCodeRepository,
    BindCodeService,
    DeviceService,
    EnrolmentListRepository,
    EnrolmentService,
    WatchesEventHandlers,
    DailyStepsRepository,
    UsedNonceRepository,
    WatchBindingRepository,
    WatchBindingService,
    BindingHistoryService,
    WatchRepository,
    WatchRevocationService,
    WatchSecrets,
    WatchStatusRepository,
    WatchStatusService,
    WatchTokenService,
    WatchViewRepository,
  ],
  exports: [EnrolmentListRepository, BindingHistoryService, WatchRevocationService, WatchSecrets],
})
export class WatchesModule {}
