import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { AlertRepository } from './alert.repository.js';
import { CenterController } from './center.controller.js';
import { CenterMessageService } from './center-message.service.js';
import { CenterMessageRepository } from './center-message.repository.js';
import { CenterRecipientRepository } from './center-recipient.repository.js';
import { MessageCenterEventHandlers } from './message-center.event-handlers.js';
import { AlertsEventHandlers } from './alerts.event-handlers.js';
import { MessageCenterService } from './message-center.service.js';
import { PublishedStateRepository } from './published-state.repository.js';
import { SubscriptionService } from './subscription.service.js';
import { UrgentAlertsService } from './urgent-alerts.service.js';

@Module({
  imports: [ProjectionsModule, MailboxModule],
  controllers: [CenterController],
  providers: [
    AlertRepository,
    CenterMessageService,
    CenterMessageRepository,
    CenterRecipientRepository,
    MessageCenterEventHandlers,
    MessageCenterService,
    SubscriptionService,
    PublishedStateRepository,
    AlertsEventHandlers,
    UrgentAlertsService,
  ],
  exports: [MessageCenterService, SubscriptionService, UrgentAlertsService],
})
export class MessageCenterModule {}
