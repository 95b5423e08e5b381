import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { AlertRepository } from './alert.repository.js';
import { CenterController } from './center.controller.js';
import { CenterMessageService } from './center-message.service.js';
import { CenterMessageRepository } from './center-message.repository.js';
import { CenterRecipientRepository } from './center-recipient.repository.js';
import { CenterRetentionJob } from './center-retention.job.js';
import { PublishBatchTaskProgressHandler } from './handlers/publish-batch-task-progress.handler.js';
import { PublishChildDeletionHandler } from './handlers/publish-child-deletion.handler.js';
import { DeleteChildCenterMessagesHandler } from './handlers/delete-child-center-messages.handler.js';
import { PublishJoinRequestHandler } from './handlers/publish-join-request.handler.js';
import { PublishMemberChangesHandler } from './handlers/publish-member-changes.handler.js';
import { PublishFamilyDissolvedHandler } from './handlers/publish-family-dissolved.handler.js';
import { PublishFenceEventHandler } from './handlers/publish-fence-event.handler.js';
import { PublishFriendRequestHandler } from './handlers/publish-friend-request.handler.js';
import { PublishLocationShareHandler } from './handlers/publish-location-share.handler.js';
import { PublishOwnershipChangeHandler } from './handlers/publish-ownership-change.handler.js';
import { PublishSignInHandler } from './handlers/publish-sign-in.handler.js';
import { PublishSosHandler } from './handlers/publish-sos.handler.js';
import { PublishWatchBindingHandler } from './handlers/publish-watch-binding.handler.js';
import { PublishWatchOfflineHandler } from './handlers/publish-watch-offline.handler.js';
import { PublishLowBatteryHandler } from './handlers/publish-low-battery.handler.js';
import { MessageCenterService } from './message-center.service.js';
import { PublishedStateRepository } from './published-state.repository.js';
import { SubscriptionService } from './subscription.service.js';
import { UndeliveredAlertJob } from './undelivered-alert.job.js';
import { UrgentAlertsService } from './urgent-alerts.service.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  controllers: [CenterController],
  providers: [
    AlertRepository,
    CenterMessageService,
    CenterMessageRepository,
    CenterRecipientRepository,
    CenterRetentionJob,
    DeleteChildCenterMessagesHandler,
    MessageCenterService,
    SubscriptionService,
    PublishBatchTaskProgressHandler,
    PublishChildDeletionHandler,
    PublishJoinRequestHandler,
    PublishFamilyDissolvedHandler,
    PublishFenceEventHandler,
    PublishFriendRequestHandler,
    PublishLocationShareHandler,
    PublishLowBatteryHandler,
    PublishMemberChangesHandler,
    PublishOwnershipChangeHandler,
    PublishSignInHandler,
    PublishSosHandler,
    PublishWatchBindingHandler,
    PublishWatchOfflineHandler,
    PublishedStateRepository,
    UndeliveredAlertJob,
    UrgentAlertsService,
  ],
  exports: [MessageCenterService, SubscriptionService, UrgentAlertsService],
})
export class MessageCenterModule {}
