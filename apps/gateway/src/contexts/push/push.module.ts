import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { MessageCenterModule } from '../message-center/message-center.module.js';
import { PresenceModule } from '../presence/presence.module.js';
import { ForgetPushTokensHandler } from './on-session-ended.handler.js';
import { PushDelivery } from './push-delivery.service.js';
import { PushDeliveryJob } from './push-delivery.job.js';
import { PushIntake } from './push-intake.service.js';
import { PushKeyRepository } from './services/push-key.repository.js';
import { PushRequestRepository } from './push-request.repository.js';
import { PushServices } from './services/push-services.service.js';
import { PushTokenPurgeJob } from './push-token-purge.job.js';
import { PushTokenRepository } from './push-token.repository.js';
import { PushTokenService } from './push-token.service.js';
import { PushTokensController } from './push-tokens.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';

@Module({
  imports: [ConnectionsModule, FamiliesModule, MailboxModule, MessageCenterModule, PresenceModule],
  controllers: [PushTokensController, SubscriptionsController],
  providers: [
    ForgetPushTokensHandler,
    PushDelivery,
    PushDeliveryJob,
    PushIntake,
    PushKeyRepository,
    PushRequestRepository,
    PushServices,
    PushTokenPurgeJob,
    PushTokenRepository,
    PushTokenService,
  ],
})
export class PushModule {}
