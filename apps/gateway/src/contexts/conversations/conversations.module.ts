import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ChatMessageRepository } from './chat/chat-message.repository.js';
import { ChatRestService } from './chat/chat-rest.service.js';
import { ChatRulesService } from './chat/chat-rules.service.js';
import { ChatSenderService } from './chat/chat-sender.service.js';
import { MediaSenderService } from './chat/media-sender.service.js';
import { ConversationsController } from './conversations.controller.js';
import { CloudContentComparisonService } from './media/cloud-content-comparison.service.js';
import { CloudContentRepository } from './media/cloud-content.repository.js';
import { MediaOwnershipService } from './media/media-ownership.service.js';
import { ConversationsGateway } from './conversations.gateway.js';
import { ConversationsEventHandlers } from './conversations.event-handlers.js';
import { ConversationErasureRepository } from './membership/conversation-erasure.repository.js';
import { ConversationErasureService } from './membership/conversation-erasure.service.js';
import { ConversationMembershipRepository } from './membership/conversation-membership.repository.js';
import { ConversationMembershipService } from './membership/conversation-membership.service.js';
import { ConversationMemberService } from './membership/conversation-member.service.js';
import { ChatHistoryRepository } from './history/chat-history.repository.js';
import { ChatHistoryService } from './history/chat-history.service.js';
import { RecallRepository } from './recall/recall.repository.js';
import { RecallService } from './recall/recall.service.js';
import { DeliveryReceiptsService } from './receipts/delivery-receipts.service.js';
import { ReceiptRepository } from './receipts/receipt.repository.js';
import { ReceiptsService } from './receipts/receipts.service.js';

const MEMBERSHIP_PROVIDERS = [
  ConversationMembershipRepository,
  ConversationMembershipService,
  ConversationMemberService,
  ConversationsEventHandlers,
  ConversationErasureRepository,
  ConversationErasureService,
];
const MEDIA_PROVIDERS = [CloudContentRepository, CloudContentComparisonService, MediaOwnershipService];
const CHAT_PROVIDERS = [
  ChatMessageRepository,
  ChatRulesService,
  ChatSenderService,
  MediaSenderService,
  ConversationsGateway,
  ChatRestService,
];
const HISTORY_RECEIPTS_RECALL_PROVIDERS = [
  ChatHistoryRepository,
  ChatHistoryService,
  RecallRepository,
  RecallService,
  ReceiptRepository,
  ReceiptsService,
  DeliveryReceiptsService,
];

@Module({
  imports: [ProjectionsModule, MailboxModule],
  controllers: [ConversationsController],
  providers: [...MEMBERSHIP_PROVIDERS, ...MEDIA_PROVIDERS, ...CHAT_PROVIDERS, ...HISTORY_RECEIPTS_RECALL_PROVIDERS],
})
export class ConversationsModule {}
