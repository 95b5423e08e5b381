import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** TODO */
@Entity({ name: 'mailbox_head', schema: 'gateway' })
@Check('ck_mailbox_head_pruned', '(pruned >= 0) AND (pruned <= head)')
export class MailboxHeadEntity {
  @PrimaryColumn({ name: 'principal', type: 'text', primaryKeyConstraintName: 'pk_mailbox_head' })
  principal: string;

  @Column({ name: 'head', type: 'bigint', default: 0 })
  head: number;

  @Column({ name: 'pruned', type: 'bigint', default: 0 })
  pruned: number;
}

/** TODO */
@Entity({ name: 'session_cursor', schema: 'gateway' })
@Index('ix_session_cursor_principal', ['principal', 'session'])
@Index('ix_session_cursor_seen', ['seenAt'])
export class SessionCursorEntity {
  @PrimaryColumn({ name: 'session', type: 'text', primaryKeyConstraintName: 'pk_session_cursor' })
  session: string;

  @Column({ name: 'principal', type: 'text' })
  principal: string;

  @Column({ name: 'acknowledged', type: 'bigint' })
  acknowledged: number;

  @Column({ name: 'seen_at', type: 'bigint' })
  seenAt: number;
}

/** TODO */
@Entity({ name: 'epoch', schema: 'gateway' })
@Check('ck_epoch_singleton', 'singleton')
export class EpochEntity {
  @PrimaryColumn({ name: 'singleton', type: 'boolean', default: true, primaryKeyConstraintName: 'pk_epoch' })
  singleton: boolean;

  @Column({ name: 'epoch', type: 'bigint' })
  epoch: number;
}

/** TODO */
@Entity({ name: 'mailbox_message', schema: 'gateway' })
@Unique('uq_mailbox_message_id', ['principal', 'id'])
@Index('ix_mailbox_message_replace', ['principal', 'replaceKey', 'seq'], { where: 'replace_key IS NOT NULL' })
@Index('ix_mailbox_message_signal', ['expiresAt'], {
  where: `(kind = ANY (ARRAY['VideoCallInNoticeMessage'::text, 'VideoCallOutNoticeMessage'::text])) AND ((payload -> 'signal'::text) IS NOT NULL)`,
})
@Index('ix_mailbox_message_time', { synchronize: false }) // CREATE INDEX ix_mailbox_message_time ON gateway.mailbox_message USING brin ("time")
export class MailboxMessageEntity {
  @PrimaryColumn({ name: 'principal', type: 'text', primaryKeyConstraintName: 'pk_mailbox_message' })
  principal: string;

  @PrimaryColumn({ name: 'seq', type: 'bigint', primaryKeyConstraintName: 'pk_mailbox_message' })
  seq: number;

  @Column({ name: 'id', type: 'uuid' })
  id: string;

  @Column({ name: 'kind', type: 'text' })
  kind: string;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'expires_at', type: 'bigint', nullable: true })
  expiresAt: number | null;

  @Column({ name: 'sender_type', type: 'text' })
  senderType: string;

  @Column({ name: 'sender_id', type: 'text' })
  senderId: string;

  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  @Column({ name: 'family_id', type: 'text', nullable: true })
  familyId: string | null;

  @Column({ name: 'audience', type: 'text' })
  audience: string;

  @Column({ name: 'replace_key', type: 'text', nullable: true })
  replaceKey: string | null;

  @Column({ name: 'payload', type: 'json' })
  payload: unknown;

  @Column({ name: 'except_session', type: 'text', nullable: true })
  exceptSession: string | null;
}
