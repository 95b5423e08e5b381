import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { ProjectionsModule } from '../projections/projections.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { MessageCenterModule } from '../message-center/message-center.module.js';
import { PresenceModule } from '../presence/presence.module.js';
import { PushEventHandlers } from './push.event-handlers.js';
import { PushDeliveryService } from './push-delivery.service.js';
import { PushSchedulerService } from './push-scheduler.service.js';
import { PushKeyRepository } from './providers/push-key.repository.js';
import { PushRequestRepository } from './push-request.repository.js';
import { PushProviderRegistryService } from './providers/push-provider-registry.service.js';
import { PushTokenRepository } from './push-token.repository.js';
import { PushTokenService } from './push-token.service.js';
import { PushTokensController } from './push-tokens.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';

@Module({
  imports: [ConnectionsModule, ProjectionsModule, MailboxModule, MessageCenterModule, PresenceModule],
  controllers: [PushTokensController, SubscriptionsController],
  providers: [
    PushEventHandlers,
    PushDeliveryService,
    PushSchedulerService,
    PushKeyRepository,
    PushRequestRepository,
    PushProviderRegistryService,
    PushTokenRepository,
    PushTokenService,
  ],
})
export class PushModule {}
