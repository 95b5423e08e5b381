import { Module } from '@nestjs/common';
import { ChildRulesModule } from '../child-rules/child-rules.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ChatEvents } from './chat/chat-events.service.js';
import { ChatMessageRepository } from './chat/chat-message.repository.js';
import { ChatRequestsService } from './chat/chat-requests.service.js';
import { ChatRetentionJob } from './chat/chat-retention.job.js';
import { ChatRules } from './chat/chat-rules.service.js';
import { ChatSender } from './chat/chat-sender.service.js';
import { MediaSender } from './chat/media-sender.service.js';
import { ConversationsController } from './conversations.controller.js';
import { CloudContentRepository } from './media/cloud-content.repository.js';
import { MediaGate } from './media/media-gate.service.js';
import { OnContentChangedHandler } from './media/on-content-changed.handler.js';
import { ConversationErasureRepository } from './membership/conversation-erasure.repository.js';
import { ConversationErasureService } from './membership/conversation-erasure.service.js';
import { ConversationMembershipRepository } from './membership/conversation-membership.repository.js';
import { ConversationMembershipService } from './membership/conversation-membership.service.js';
import { MembersRepository } from './membership/members.repository.js';
import { MembersService } from './membership/members.service.js';
import { EraseConversationsHandler } from './membership/on-child-erased.handler.js';
import { FollowFamilyHandler } from './membership/on-family-changed.handler.js';
import { FollowFriendshipHandler } from './membership/on-friendship-changed.handler.js';
import { ChatHistoryRepository } from './reading/chat-history.repository.js';
import { ChatHistoryService } from './reading/chat-history.service.js';
import { RecallRepository } from './recall/recall.repository.js';
import { RecallService } from './recall/recall.service.js';
import { DeliveryReceiptsJob } from './receipts/delivery-receipts.job.js';
import { ReceiptRepository } from './receipts/receipt.repository.js';
import { ReceiptsService } from './receipts/receipts.service.js';

const MEMBERSHIP = [
  ConversationMembershipRepository,
  ConversationMembershipService,
  MembersRepository,
  MembersService,
  FollowFamilyHandler,
  FollowFriendshipHandler,
  ConversationErasureRepository,
  ConversationErasureService,
  EraseConversationsHandler,
];
const MEDIA = [CloudContentRepository, MediaGate, OnContentChangedHandler];
const CHAT = [
  ChatMessageRepository,
  ChatRules,
  ChatSender,
  MediaSender,
  ChatEvents,
  ChatRequestsService,
  ChatRetentionJob,
];
const AFTERWARDS = [
  ChatHistoryRepository,
  ChatHistoryService,
  RecallRepository,
  RecallService,
  ReceiptRepository,
  ReceiptsService,
  DeliveryReceiptsJob,
];

@Module({
  imports: [ChildRulesModule, FamiliesModule, MailboxModule],
  controllers: [ConversationsController],
  providers: [...MEMBERSHIP, ...MEDIA, ...CHAT, ...AFTERWARDS],
})
export class ConversationsModule {}
