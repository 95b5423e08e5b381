import { Module } from '@nestjs/common';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ProjectionsModule } from '../projections/projections.module.js';
import { ChatHistoryRepository } from './chat/chat-history.repository.js';
import { ChatHistoryService } from './chat/chat-history.service.js';
import { ChatMessageRepository } from './chat/chat-message.repository.js';
import { ChatRetention } from './chat/chat-retention.js';
import { ChatRulesService } from './chat/chat-rules.service.js';
import { ChatSenderService } from './chat/chat-sender.service.js';
import { ChatService } from './chat/chat.service.js';
import { MemberNamesService } from './chat/member-names.service.js';
import { RecallService } from './chat/recall.service.js';
import { ConversationsController } from './conversations.controller.js';
import { ConversationsEventHandlers } from './conversations.event-handlers.js';
import { ConversationsGateway } from './conversations.gateway.js';
import { CloudContentComparisonService } from './media/cloud-content-comparison.service.js';
import { CloudContentRepository } from './media/cloud-content.repository.js';
import { ConversationMembershipRepository } from './membership/conversation-membership.repository.js';
import { ConversationMembershipService } from './membership/conversation-membership.service.js';
import { ReceiptRepository } from './receipts/receipt.repository.js';
import { ReceiptsService } from './receipts/receipts.service.js';

const CHAT_PROVIDERS = [
  ChatMessageRepository,
  ChatRetention,
  ChatRulesService,
  ChatSenderService,
  ChatService,
  ChatHistoryRepository,
  ChatHistoryService,
  MemberNamesService,
  RecallService,
];

/**
 * Conversations within families and between friends: members, messages, receipts, history, and access to the files
 * that messages name.
 *
 * - Parts: `chat/`, `media/`, `membership/`, `receipts/`.
 * - Tables: `chat_message`, `cloud_content`, `conversation`, `conversation_member`, `conversation_source`,
 *   `receipt_cursor`.
 * - Publishes: `gateway.media.grant-ended`, `gateway.media.granted`.
 * - Needs: projections, mailbox, connections.
 */
@Module({
  imports: [ProjectionsModule, MailboxModule],
  controllers: [ConversationsController],
  providers: [
    ConversationMembershipRepository,
    ConversationMembershipService,
    ConversationsEventHandlers,
    ConversationsGateway,
    CloudContentRepository,
    CloudContentComparisonService,
    ...CHAT_PROVIDERS,
    ReceiptRepository,
    ReceiptsService,
  ],
  exports: [ConversationMembershipService, ChatHistoryService],
})
export class ConversationsModule {}
