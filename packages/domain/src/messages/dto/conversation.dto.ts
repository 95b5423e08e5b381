import { ApiProperty } from '@nestjs/swagger';
import type { Page } from '../../kernel/contracts/pagination.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  DeviceId,
  Id,
  Integer,
  Nested,
  NestedList,
  OneOf,
  Reference,
  Text,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import { CHAT_KIND } from '../contracts/chat.js';
import type { ChatKind } from '../contracts/chat.js';
import { CONVERSATION_TYPE } from '../contracts/conversation.js';
import type { ConversationType } from '../contracts/conversation.js';
import type { Sender } from '../contracts/envelope.js';

const SENDER_TYPE = { USER: 'user', WATCH: 'watch', SYSTEM: 'system' } as const;
const MAX_MEMBERS = 64;
const MAX_PAGE = 200;

export class HistoryQueryDto extends PageQueryDto {
  @Reference()
  conversationId!: string;
}

export class MarkReadDto {
  @Reference()
  conversationId!: string;

  @Reference({ description: 'The newest message that was read' })
  messageId!: string;
}

export class RecallDto {
  @Reference()
  messageId!: string;
}

class SenderDto implements Sender {
  @OneOf(SENDER_TYPE)
  type!: Sender['type'];

  @Text({ description: '`userId`, or the `did` of the watch' })
  id!: string;
}

/** A message of a conversation. */
export class ChatMessageDto {
  @Id()
  id!: string;

  @Integer({ min: 1, description: 'Number in the conversation, rising in the order all members see' })
  conversationSeq!: number;

  @OneOf(CHAT_KIND)
  kind!: ChatKind;

  @UnixMilliseconds()
  time!: number;

  @Nested(() => SenderDto)
  from!: Sender;

  @Id({ nullable: true, description: 'The child who said it' })
  cid!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'What was said, as the socket event of its kind delivers it; `null` when it was recalled',
    example: { text: 'Dinner is ready' },
  })
  payload!: object | null;
}

/** Somebody in a conversation: a person (`userId`) or a child (`cid`). */
export class ConversationMemberDto {
  @Id({ nullable: true })
  userId!: string | null;

  @Id({ nullable: true })
  cid!: string | null;

  @DeviceId({ nullable: true, description: 'The watch that speaks for the child now' })
  did!: number | null;

  @Integer({ min: 0, description: 'Everything up to this number has reached the member' })
  deliveredSeq!: number;

  @Integer({ min: 0, description: 'Everything up to this number was read by the member' })
  readSeq!: number;
}

export class ConversationDto {
  @Id()
  conversationId!: string;

  @OneOf(CONVERSATION_TYPE)
  type!: ConversationType;

  @Integer({ min: 0, description: 'The caller has read everything up to this number' })
  readSeq!: number;

  @Integer({ min: 0, description: 'Messages of others after it that were not recalled' })
  unread!: number;

  @NestedList(() => ConversationMemberDto, { maxItems: MAX_MEMBERS })
  members!: ConversationMemberDto[];

  @Nested(() => ChatMessageDto, { nullable: true })
  lastMessage!: ChatMessageDto | null;
}

export class ConversationPageDto implements Page<ConversationDto> {
  @NestedList(() => ConversationDto, { maxItems: MAX_PAGE })
  items!: ConversationDto[];

  @Text({ nullable: true })
  nextCursor!: string | null;
}

export class HistoryPageDto implements Page<ChatMessageDto> {
  @NestedList(() => ChatMessageDto, { maxItems: MAX_PAGE })
  items!: ChatMessageDto[];

  @Text({ nullable: true })
  nextCursor!: string | null;
}
