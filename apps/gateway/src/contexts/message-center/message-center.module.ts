import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { AlertRepository } from './alert.repository.js';
import { CenterController } from './center.controller.js';
import { CenterFamilyRepository } from './center-family.repository.js';
import { CenterInbox } from './center-inbox.service.js';
import { CenterMessageRepository } from './center-message.repository.js';
import { CenterReaderRepository } from './center-reader.repository.js';
import { CenterRetentionJob } from './center-retention.job.js';
import { TellBatchTaskHandler } from './emitters/on-batch-task-changed.handler.js';
import { TellChildDeletionHandler } from './emitters/on-child-deletion.handler.js';
import { ForgetChildHandler } from './emitters/on-child-erased.handler.js';
import { TellFamilyApplicationHandler } from './emitters/on-family-application.handler.js';
import { TellMembersHandler } from './emitters/on-family-changed.handler.js';
import { TellFamilyDissolvedHandler } from './emitters/on-family-dissolved.handler.js';
import { TellFenceHandler } from './emitters/on-fence-triggered.handler.js';
import { TellFriendApplicationHandler } from './emitters/on-friend-application.handler.js';
import { TellLocationShareHandler } from './emitters/on-location-share.handler.js';
import { TellOwnershipHandler } from './emitters/on-ownership.handler.js';
import { TellSignInHandler } from './emitters/on-session-started.handler.js';
import { TellSosHandler } from './emitters/on-sos.handler.js';
import { TellWatchBindingHandler } from './emitters/on-watch-binding.handler.js';
import { TellWatchSilentHandler } from './emitters/on-watch-shut-down.handler.js';
import { TellLowBatteryHandler } from './emitters/on-watch-status.handler.js';
import { MessageCenter } from './message-center.service.js';
import { SubscriptionService } from './subscription.service.js';
import { UndeliveredAlertJob } from './undelivered-alert.job.js';
import { UrgentAlerts } from './urgent-alerts.service.js';
import { WatchBatteryRepository } from './watch-battery.repository.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  controllers: [CenterController],
  providers: [
    AlertRepository,
    CenterFamilyRepository,
    CenterInbox,
    CenterMessageRepository,
    CenterReaderRepository,
    CenterRetentionJob,
    ForgetChildHandler,
    MessageCenter,
    SubscriptionService,
    TellBatchTaskHandler,
    TellChildDeletionHandler,
    TellFamilyApplicationHandler,
    TellFamilyDissolvedHandler,
    TellFenceHandler,
    TellFriendApplicationHandler,
    TellLocationShareHandler,
    TellLowBatteryHandler,
    TellMembersHandler,
    TellOwnershipHandler,
    TellSignInHandler,
    TellSosHandler,
    TellWatchBindingHandler,
    TellWatchSilentHandler,
    UndeliveredAlertJob,
    UrgentAlerts,
    WatchBatteryRepository,
  ],
  exports: [MessageCenter, SubscriptionService, UrgentAlerts],
})
export class MessageCenterModule {}
