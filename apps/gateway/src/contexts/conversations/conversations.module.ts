import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ChatEvents } from './chat/chat-events.service.js';
import { ChatMessageRepository } from './chat/chat-message.repository.js';
import { ChatSender } from './chat/chat-sender.service.js';
import { ConversationMembershipRepository } from './membership/conversation-membership.repository.js';
import { ConversationMembershipService } from './membership/conversation-membership.service.js';
import { FollowFamilyHandler } from './membership/on-family-changed.handler.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  providers: [
    ConversationMembershipRepository,
    ConversationMembershipService,
    FollowFamilyHandler,
    ChatMessageRepository,
    ChatSender,
    ChatEvents,
  ],
})
export class ConversationsModule {}
