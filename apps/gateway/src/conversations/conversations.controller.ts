import { Body, Controller, Get, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import {
  ConversationPageDto,
  HistoryPageDto,
  HistoryQueryDto,
  MarkReadDto,
  RecallDto,
  SearchHistoryQueryDto,
} from '@family-watch/domain/messages/dto/conversation.dto';
import { MessageSentDto, SendMessageDto } from '@family-watch/domain/messages/dto/chat.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import { BindingWaitInterceptor } from '../projections/binding-wait.interceptor.js';
import { ChatService } from './chat/chat.service.js';
import { ChatHistoryService } from './chat/chat-history.service.js';
import { RecallService } from './chat/recall.service.js';
import { ReceiptsService } from './receipts/receipts.service.js';

/** Operations on the conversations of the caller. A watch acts for its child. */
@ApiTags('Messages')
@Controller('apis/v2/message')
@UseInterceptors(BindingWaitInterceptor)
export class ConversationsController {
  constructor(
    private readonly chat: ChatService,
    private readonly history: ChatHistoryService,
    private readonly receipts: ReceiptsService,
    private readonly recalls: RecallService,
  ) {}

  @Post('send')
  @Idempotent(GatewayUnitOfWork)
  @Operation({
    id: 'sendMessage',
    access: ['user', 'watch'],
    summary: 'Send a chat message',
    description:
      'Has the effect of the socket event named `kind`, for clients without an open socket. `kind` determines which ' +
      'further fields are required. A repeated message returns the response of the first request; another ' +
      'message with the same `clientMsgId` returns `CLIENT_MSG_ID_REUSED`. For `SCHOOL_TIME`, `details` contains the ' +
      'end of the school time in Unix milliseconds.',
    response: MessageSentDto,
    errors: [
      ...(['VALIDATION_FAILED', 'CONVERSATION_NOT_FOUND', 'CONTENT_NOT_FOUND', 'WATCH_UNBOUND'] as const),
      ...(['SCHOOL_TIME', 'CONTACT_NOT_ALLOWED', 'CLIENT_MSG_ID_REUSED', 'FAMILY_NOT_READY'] as const),
    ],
  })
  sendMessage(@Caller() caller: Principal, @Body() body: SendMessageDto): Promise<MessageSentDto> {
    return this.chat.validateAndSend(caller, body);
  }

  @Get('conversation/list')
  @Operation({
    id: 'listConversations',
    access: ['user', 'watch'],
    summary: "List the caller's conversations",
    response: ConversationPageDto,
    errors: ['VALIDATION_FAILED', 'WATCH_UNBOUND', 'FAMILY_NOT_READY'],
  })
  listConversations(@Caller() caller: Principal, @Query() query: PageQueryDto): Promise<ConversationPageDto> {
    return this.history.listConversations(caller, query);
  }

  @Get('history/get')
  @Operation({
    id: 'getHistory',
    access: ['user', 'watch'],
    summary: 'List the messages of a conversation',
    description:
      'Newest first. A member of a group gets the messages sent since joining. Recalled messages have no `payload`.',
    response: HistoryPageDto,
    errors: ['VALIDATION_FAILED', 'CONVERSATION_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'WATCH_UNBOUND', 'FAMILY_NOT_READY'],
  })
  getHistory(@Caller() caller: Principal, @Query() query: HistoryQueryDto): Promise<HistoryPageDto> {
    return this.history.listMessages(caller, query);
  }

  @Get('history/search')
  @Operation({
    id: 'searchHistory',
    access: ['user', 'watch'],
    summary: 'Search the text messages of a conversation',
    description: 'Newest first, among the messages that `history/get` lists. Recalled messages are not found.',
    response: HistoryPageDto,
    errors: ['VALIDATION_FAILED', 'CONVERSATION_NOT_FOUND', 'WATCH_UNBOUND', 'FAMILY_NOT_READY'],
  })
  searchHistory(@Caller() caller: Principal, @Query() query: SearchHistoryQueryDto): Promise<HistoryPageDto> {
    return this.history.searchMessages(caller, query);
  }

  @Post('read/mark')
  @Operation({
    id: 'markRead',
    access: ['user', 'watch'],
    summary: 'Mark a conversation as read',
    description:
      'The message `messageId` and all earlier messages. Their senders receive an AckMessage with the status ' +
      'READ.',
    errors: ['VALIDATION_FAILED', 'CONVERSATION_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'WATCH_UNBOUND', 'FAMILY_NOT_READY'],
  })
  async markRead(
    @Caller() caller: Principal,
    @Body() { conversationId, messageId }: MarkReadDto,
  ): Promise<Record<string, never>> {
    await this.receipts.markRead(caller, conversationId, messageId);
    return {};
  }

  @Post('recall')
  @Operation({
    id: 'recallMessage',
    access: ['user', 'watch'],
    summary: 'Recall a message',
    description:
      'For the sender, within two minutes. The history keeps the message without its payload, and the members ' +
      'receive a ConversationChangeNoticeMessage.',
    errors: ['VALIDATION_FAILED', 'MESSAGE_NOT_FOUND', 'RECALL_EXPIRED', 'WATCH_UNBOUND', 'FAMILY_NOT_READY'],
  })
  async recallMessage(@Caller() caller: Principal, @Body() { messageId }: RecallDto): Promise<Record<string, never>> {
    await this.recalls.recall(caller, messageId);
    return {};
  }
}
