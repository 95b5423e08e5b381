import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** TODO */
@Entity({ name: 'conversation', schema: 'gateway' })
export class ConversationEntity {
  @PrimaryColumn({ name: 'conversation_id', type: 'uuid', primaryKeyConstraintName: 'pk_conversation' })
  conversationId: string;

  @Column({ name: 'type', type: 'text' })
  type: string;

  @Column({ name: 'head', type: 'bigint', default: 0 })
  head: number;

  @Column({ name: 'revision', type: 'bigint', default: 0 })
  revision: number;

  @Column({ name: 'closed', type: 'boolean', default: false })
  closed: boolean;
}

/** TODO */
@Entity({ name: 'conversation_member', schema: 'gateway' })
@ForeignKey(() => ConversationEntity, ['conversationId'], ['conversationId'], {
  name: 'fk_conversation_member_conversation',
})
@Index('ix_conversation_member_family', ['familyId'])
@Index('ix_conversation_member_member', ['member'])
export class ConversationMemberEntity {
  @PrimaryColumn({ name: 'conversation_id', type: 'uuid', primaryKeyConstraintName: 'pk_conversation_member' })
  conversationId: string;

  @PrimaryColumn({ name: 'member', type: 'text', primaryKeyConstraintName: 'pk_conversation_member' })
  member: string;

  @Column({ name: 'family_id', type: 'text' })
  familyId: string;

  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  @Column({ name: 'active', type: 'boolean' })
  active: boolean;

  @Column({ name: 'joined_at_seq', type: 'bigint', default: 0 })
  joinedAtSeq: number;

  @Column({ name: 'delivered_seq', type: 'bigint', default: 0 })
  deliveredSeq: number;

  @Column({ name: 'read_seq', type: 'bigint', default: 0 })
  readSeq: number;
}

/** TODO */
@Entity({ name: 'conversation_source', schema: 'gateway' })
export class ConversationSourceEntity {
  @PrimaryColumn({ name: 'source', type: 'text', primaryKeyConstraintName: 'pk_conversation_source' })
  source: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;
}

/** TODO */
@Entity({ name: 'chat_message', schema: 'gateway' })
@Unique('uq_chat_message_id', ['id'])
@Index('ix_chat_message_time', { synchronize: false }) // CREATE INDEX ix_chat_message_time ON gateway.chat_message USING brin ("time")
@Index('ix_chat_message_voice', ['time'], { where: `kind = 'ChatVoiceMessage'::text` })
export class ChatMessageEntity {
  @PrimaryColumn({ name: 'conversation_id', type: 'uuid', primaryKeyConstraintName: 'pk_chat_message' })
  conversationId: string;

  @PrimaryColumn({ name: 'conversation_seq', type: 'bigint', primaryKeyConstraintName: 'pk_chat_message' })
  conversationSeq: number;

  @Column({ name: 'id', type: 'uuid' })
  id: string;

  @Column({ name: 'member', type: 'text' })
  member: string;

  @Column({ name: 'sender_type', type: 'text' })
  senderType: string;

  @Column({ name: 'sender_id', type: 'text' })
  senderId: string;

  @Column({ name: 'kind', type: 'text' })
  kind: string;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'recalled_at', type: 'bigint', nullable: true })
  recalledAt: number | null;

  @Column({ name: 'payload', type: 'json' })
  payload: unknown;
}

/** TODO */
@Entity({ name: 'receipt_cursor', schema: 'gateway' })
export class ReceiptCursorEntity {
  @PrimaryColumn({ name: 'principal', type: 'text', primaryKeyConstraintName: 'pk_receipt_cursor' })
  principal: string;

  @Column({ name: 'delivered', type: 'bigint' })
  delivered: number;
}
