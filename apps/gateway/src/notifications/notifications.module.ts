import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ProjectionsModule } from '../projections/projections.module.js';
import { AlertRepository } from './message-center/alert.repository.js';
import { AlertsEventHandlers } from './message-center/alerts.event-handlers.js';
import { CenterMessageRepository } from './message-center/center-message.repository.js';
import { CenterController } from './message-center/center.controller.js';
import { MessageCenterEventHandlers } from './message-center/message-center.event-handlers.js';
import { MessageCenterService } from './message-center/message-center.service.js';
import { UrgentAlertsService } from './message-center/urgent-alerts.service.js';
import { NoticesEventHandlers } from './notices.event-handlers.js';
import { PushProviderRegistryService } from './push/providers/push-provider-registry.service.js';
import { PushDeliveryService } from './push/push-delivery.service.js';
import { PushSchedulerService } from './push/push-scheduler.service.js';
import { PushTokenService } from './push/push-token.service.js';
import { PushTokensController } from './push/push-tokens.controller.js';
import { PushRepository } from './push/push.repository.js';
import { SubscriptionService } from './subscriptions/subscription.service.js';
import { SubscriptionsController } from './subscriptions/subscriptions.controller.js';

/**
 * What people and watches are told: a notice for each event that concerns them, the message centre, and push
 * notifications about messages that no device has received.
 *
 * - Parts: `message-center/`, `push/` (Web Push, FCM, APNS, HMS), `subscriptions/`.
 * - Tables: `alert`, `center_family`, `center_message`, `center_reader`, `push_key`, `push_request`, `push_token`,
 *   `watch_battery`.
 * - Publishes: `gateway.alert.undelivered`, `gateway.remote-command.sent`.
 * - Needs: projections, mailbox, connections.
 */
@Module({
  imports: [ProjectionsModule, MailboxModule, ConnectionsModule],
  controllers: [CenterController, PushTokensController, SubscriptionsController],
  providers: [
    NoticesEventHandlers,
    MessageCenterEventHandlers,
    AlertsEventHandlers,
    MessageCenterService,
    CenterMessageRepository,
    AlertRepository,
    UrgentAlertsService,
    SubscriptionService,
    PushSchedulerService,
    PushDeliveryService,
    PushProviderRegistryService,
    PushRepository,
    PushTokenService,
  ],
  exports: [MessageCenterService, SubscriptionService],
})
export class NotificationsModule {}
