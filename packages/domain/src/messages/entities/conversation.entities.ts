import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { ChatKind, ConversationType, MemberKey } from '../contracts/chat.js';
import type { Sender } from '../contracts/message-kinds.js';

/** A conversation. The row is locked while its messages are numbered and while its members change. */
@Entity({ schema: 'gateway', name: 'conversation' })
export class ConversationEntity {
  @PrimaryColumn({ name: 'conversation_id', type: 'uuid', primaryKeyConstraintName: 'conversation_pkey' })
  conversationId: string;

  @Column({ name: 'type', type: 'text' })
  type: ConversationType;

  /** Sequence number of the newest message. */
  @Column({ name: 'head', type: 'bigint', default: 0 })
  head: number;

  /** Incremented whenever the members of the conversation change. */
  @Column({ name: 'revision', type: 'bigint', default: 0 })
  revision: number;

  /** True while the conversation has no active members. */
  @Column({ name: 'closed', type: 'boolean', default: false })
  isClosed: boolean;
}

/** A current or former member of a conversation, and how far messages were delivered to and read by the member. */
@Entity({ schema: 'gateway', name: 'conversation_member' })
@ForeignKey(() => ConversationEntity, ['conversationId'], ['conversationId'], {
  name: 'conversation_member_conversation_fkey',
})
@Index('conversation_member_family', ['familyId'])
@Index('conversation_member_member', ['member'])
export class ConversationMemberEntity {
  @PrimaryColumn({ name: 'conversation_id', type: 'uuid', primaryKeyConstraintName: 'conversation_member_pkey' })
  conversationId: string;

  @PrimaryColumn({ name: 'member', type: 'text', primaryKeyConstraintName: 'conversation_member_pkey' })
  member: MemberKey;

  @Column({ name: 'family_id', type: 'text' })
  familyId: string;

  /** Id of the child, or `null` if the member is a user. */
  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  /** Id of the watch, or `null` for a user and for a child without a watch. */
  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  /** False for a former member. */
  @Column({ name: 'active', type: 'boolean' })
  active: boolean;

  /** Head of the conversation when the member joined. The member sees only messages with greater sequence numbers. */
  @Column({ name: 'joined_at_seq', type: 'bigint', default: 0 })
  joinedAtSeq: number;

  /** Sequence number up to which the conversation's messages were delivered to the member. */
  @Column({ name: 'delivered_seq', type: 'bigint', default: 0 })
  deliveredSeq: number;

  /** Sequence number up to which the member has read the conversation's messages. */
  @Column({ name: 'read_seq', type: 'bigint', default: 0 })
  readSeq: number;
}

/**
 * A family or a friendship, from which conversations are created, and the newest of its versions that was applied to
 * the conversations.
 */
@Entity({ schema: 'gateway', name: 'conversation_source' })
export class ConversationSourceEntity {
  @PrimaryColumn({ name: 'source', type: 'text', primaryKeyConstraintName: 'conversation_source_pkey' })
  source: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;
}

/** A message of a conversation. Times are Unix milliseconds. */
@Entity({ schema: 'gateway', name: 'chat_message' })
@Unique('chat_message_id_key', ['id'])
@Index('chat_message_time', ['time'], { type: 'brin' })
@Index('chat_message_voice', ['time'], { where: `kind = 'ChatVoiceMessage'::text` })
export class ChatMessageEntity {
  @PrimaryColumn({ name: 'conversation_id', type: 'uuid', primaryKeyConstraintName: 'chat_message_pkey' })
  conversationId: string;

  @PrimaryColumn({ name: 'conversation_seq', type: 'bigint', primaryKeyConstraintName: 'chat_message_pkey' })
  conversationSeq: number;

  /** Derived from the sender and `clientMsgId`, so that a repeated message has the same id and is stored once. */
  @Column({ name: 'id', type: 'uuid' })
  id: string;

  @Column({ name: 'member', type: 'text' })
  member: MemberKey;

  @Column({ name: 'sender_type', type: 'text' })
  senderType: Sender['type'];

  @Column({ name: 'sender_id', type: 'text' })
  senderId: string;

  @Column({ name: 'kind', type: 'text' })
  kind: ChatKind;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  /** When the sender recalled the message; `null` if it was not recalled. */
  @Column({ name: 'recalled_at', type: 'bigint', nullable: true })
  recalledAt: number | null;

  /** The kind's payload; an empty object after the message was recalled. */
  @Column({ name: 'payload', type: 'json' })
  payload: object;
}

/** How far delivery receipts were sent for the chat messages that a principal has received. */
@Entity({ schema: 'gateway', name: 'receipt_cursor' })
export class ReceiptCursorEntity {
  @PrimaryColumn({ name: 'principal', type: 'text', primaryKeyConstraintName: 'receipt_cursor_pkey' })
  principal: PrincipalKey;

  /** Sequence number in the principal's mailbox up to which receipts were sent to the senders of chat messages. */
  @Column({ name: 'delivered', type: 'bigint' })
  delivered: number;
}
