import { ApiProperty } from '@nestjs/swagger';
import type { Page } from '../../kernel/contracts/pagination.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  DeviceIdField,
  UuidField,
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  ReferenceField,
  NameField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import {
  CHAT_KIND,
  CONVERSATION_TYPE,
  UNREAD_WINDOW_MESSAGES,
  type ChatKind,
  type ConversationType,
} from '../contracts/chat.js';
import type { Sender } from '../contracts/message-kinds.js';

const SENDER_TYPE = { USER: 'user', WATCH: 'watch', SYSTEM: 'system' } as const;
const MAX_CONVERSATION_MEMBERS = 64;
const MAX_HISTORY_PAGE_SIZE = 200;

export class HistoryQueryDto extends PageQueryDto {
  @ReferenceField()
  conversationId!: string;

  @ReferenceField({
    optional: true,
    description:
      'Id of a message: the first page has this message in its middle, as far as there are newer ones, instead of the ' +
      'newest messages. Ignored with `cursor`.',
  })
  around?: string;
}

const MAX_SEARCH_LENGTH = 64;

export class SearchHistoryQueryDto extends PageQueryDto {
  @ReferenceField()
  conversationId!: string;

  @StringField({
    minLength: 1,
    maxLength: MAX_SEARCH_LENGTH,
    description: 'Part of the text, without distinction of upper and lower case',
    example: 'dinner',
  })
  text!: string;
}

export class MarkReadDto {
  @ReferenceField()
  conversationId!: string;

  @ReferenceField({ description: 'The newest message that the caller has read' })
  messageId!: string;
}

export class RecallDto {
  @ReferenceField()
  messageId!: string;
}

class SenderDto implements Sender {
  @EnumField(SENDER_TYPE)
  type!: Sender['type'];

  @StringField({ description: '`userId`, or the `did` of the watch' })
  id!: string;
}

/** A message of a conversation. */
export class ChatMessageDto {
  @UuidField()
  id!: string;

  @IntegerField({
    min: 1,
    description: 'Sequence number in the conversation; all members see the messages in this order',
  })
  conversationSeq!: number;

  @EnumField(CHAT_KIND)
  kind!: ChatKind;

  @UnixMillisecondsField()
  time!: number;

  @NestedField(() => SenderDto)
  from!: Sender;

  @UuidField({ nullable: true, description: 'The child that sent the message; null if a member sent it' })
  cid!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Payload as delivered by the socket event of this kind; `null` if the message was recalled',
    example: { text: 'Dinner is ready' },
  })
  payload!: object | null;
}

/** A member of a conversation: either a user (`userId`) or a child (`cid`). */
export class ConversationMemberDto {
  @UuidField({ nullable: true })
  userId!: string | null;

  @UuidField({ nullable: true })
  cid!: string | null;

  @DeviceIdField({ nullable: true, description: 'Watch that is currently bound to the child' })
  did!: number | null;

  @NameField({ nullable: true, example: 'Mia', description: 'Name of the child, or nickname; null if unavailable now' })
  name!: string | null;

  @StringField({
    nullable: true,
    example: 'https://example.com/mia.jpg',
    description:
      'Picture of the child or user. Null if there is none, and for callers of other families. A contact of the family ' +
      'gets URLs with https only; within the family, any reference and URLs with https or http are returned',
  })
  avatar!: string | null;

  @IntegerField({ min: 0, description: '`conversationSeq` up to which messages were delivered to the member' })
  deliveredSeq!: number;

  @IntegerField({ min: 0, description: '`conversationSeq` up to which the member has read the messages' })
  readSeq!: number;
}

export class ConversationDto {
  @UuidField()
  conversationId!: string;

  @EnumField(CONVERSATION_TYPE)
  type!: ConversationType;

  @IntegerField({ min: 0, description: '`conversationSeq` up to which the caller has read the messages' })
  readSeq!: number;

  @IntegerField({
    min: 0,
    max: UNREAD_WINDOW_MESSAGES,
    description: `Number of unread messages of other members, without recalled messages, among the newest ${UNREAD_WINDOW_MESSAGES} messages`,
  })
  unread!: number;

  @NestedListField(() => ConversationMemberDto, { maxItems: MAX_CONVERSATION_MEMBERS })
  members!: ConversationMemberDto[];

  @NestedField(() => ChatMessageDto, { nullable: true })
  lastMessage!: ChatMessageDto | null;
}

export class ConversationPageDto implements Page<ConversationDto> {
  @NestedListField(() => ConversationDto, { maxItems: MAX_HISTORY_PAGE_SIZE })
  items!: ConversationDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor!: string | null;
}

export class HistoryPageDto implements Page<ChatMessageDto> {
  @NestedListField(() => ChatMessageDto, { maxItems: MAX_HISTORY_PAGE_SIZE })
  items!: ChatMessageDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor!: string | null;
}
