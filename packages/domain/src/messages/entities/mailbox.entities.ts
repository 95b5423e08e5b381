import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { Audience } from '../contracts/message-center.js';
import type { Sender, MessageKind } from '../contracts/message-kinds.js';

/** The mailbox of a principal. Only the transaction that has locked the row may add messages to the mailbox. */
@Entity({ schema: 'gateway', name: 'mailbox_head' })
@Check('mailbox_head_pruned_check', '(pruned >= 0) AND (pruned <= head)')
export class MailboxHeadEntity {
  @PrimaryColumn({
    name: 'principal',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'mailbox_head_pkey',
  })
  principal: PrincipalKey;

  /** Sequence number of the newest message. */
  @Column({ name: 'head', type: 'bigint', default: 0 })
  head: number;

  /** Sequence number up to which old messages are deleted. */
  @Column({ name: 'pruned', type: 'bigint', default: 0 })
  deletedThrough: number;
}

/** How far a session has acknowledged its principal's mailbox. */
@Entity({ schema: 'gateway', name: 'session_cursor' })
@Index('session_cursor_principal', ['principal', 'session'])
@Index('session_cursor_seen', ['seenAt'])
export class SessionCursorEntity {
  @PrimaryColumn({ name: 'session', type: 'text', primaryKeyConstraintName: 'session_cursor_pkey' })
  session: string;

  @Column({ name: 'principal', type: 'text', collation: 'C' })
  principal: PrincipalKey;

  /** Sequence number up to which the session has acknowledged the mailbox. */
  @Column({ name: 'acknowledged', type: 'bigint' })
  acknowledged: number;

  /** When the session last connected or acknowledged, in Unix milliseconds; up to a minute too early. */
  @Column({ name: 'seen_at', type: 'bigint' })
  seenAt: number;
}

/**
 * The epoch of all mailboxes. It changes after a backup is restored, because sequence numbers may then be assigned
 * again. The table has one row.
 */
@Entity({ schema: 'gateway', name: 'epoch' })
@Check('epoch_singleton_check', 'singleton')
export class EpochEntity {
  @PrimaryColumn({ name: 'singleton', type: 'boolean', default: true, primaryKeyConstraintName: 'epoch_pkey' })
  singleton: boolean;

  /** When the numbering of the mailboxes started, in Unix milliseconds. */
  @Column({ name: 'epoch', type: 'bigint' })
  epoch: number;

  /** When a backup was last restored, in Unix milliseconds; null if never. */
  @Column({ name: 'restored_at', type: 'bigint', nullable: true })
  restoredAt: number | null;
}

/**
 * A numbered message in the mailbox of a principal: every kind but chat messages, which are only here if an older build
 * has stored them. Times are Unix milliseconds.
 */
@Entity({ schema: 'gateway', name: 'mailbox_entry' })
@Unique('mailbox_entry_id_key', ['principal', 'id'])
@Index('mailbox_entry_replace', ['principal', 'replaceKey', 'seq'], { where: 'replace_key IS NOT NULL' })
@Index('mailbox_entry_signal', ['expiresAt'], {
  where: `(kind = ANY (ARRAY['VideoCallInNoticeMessage'::text, 'VideoCallOutNoticeMessage'::text])) AND ((payload -> 'signal'::text) IS NOT NULL)`,
})
@Index('mailbox_entry_time', ['time'], { type: 'brin' })
@Index('mailbox_entry_voice', ['time'], {
  where: `(kind = 'ChatVoiceMessage'::text) AND (expires_at IS DISTINCT FROM 0)`,
})
export class MailboxEntryEntity {
  @PrimaryColumn({
    name: 'principal',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'mailbox_entry_pkey',
  })
  principal: PrincipalKey;

  @PrimaryColumn({ name: 'seq', type: 'bigint', primaryKeyConstraintName: 'mailbox_entry_pkey' })
  seq: number;

  /** Derived from the event or request that caused the message, so that a repetition does not store it again. */
  @Column({ name: 'id', type: 'uuid' })
  id: string;

  @Column({ name: 'kind', type: 'text' })
  kind: MessageKind;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  /** Time after which the message is not delivered any more; `null`: no limit; 0: the message was withdrawn. */
  @Column({ name: 'expires_at', type: 'bigint', nullable: true })
  expiresAt: number | null;

  @Column({ name: 'sender_type', type: 'text' })
  senderType: Sender['type'];

  @Column({ name: 'sender_id', type: 'text' })
  senderId: string;

  /** `null` if the message is about no watch. */
  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  /** `null` if the message is about no child. */
  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  /** `null` if the message belongs to no family. */
  @Column({ name: 'family_id', type: 'text', nullable: true })
  familyId: string | null;

  @Column({ name: 'audience', type: 'text' })
  audience: Audience;

  /** A newer message with the same key replaces this message; `null` if newer messages do not replace it. */
  @Column({ name: 'replace_key', type: 'text', nullable: true })
  replaceKey: string | null;

  @Column({ name: 'payload', type: 'json' })
  payload: object;

  /** Session of the recipient to which the message is not delivered, because it sent the message; `null` if none. */
  @Column({ name: 'except_session', type: 'text', nullable: true })
  exceptSession: string | null;
}

/**
 * A numbered chat message in the mailbox of a principal. The message itself is in its conversation (`chat_message`); it
 * is not delivered any more when it was recalled or deleted there.
 */
@Entity({ schema: 'gateway', name: 'mailbox_chat_entry' })
@Index('mailbox_chat_entry_time', ['time'], { type: 'brin' })
export class MailboxChatEntryEntity {
  @PrimaryColumn({
    name: 'principal',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'mailbox_chat_entry_pkey',
  })
  principal: PrincipalKey;

  @PrimaryColumn({ name: 'seq', type: 'bigint', primaryKeyConstraintName: 'mailbox_chat_entry_pkey' })
  seq: number;

  @Column({ name: 'conversation_id', type: 'uuid' })
  conversationId: string;

  @Column({ name: 'conversation_seq', type: 'bigint' })
  conversationSeq: number;

  /** When the message was sent, in Unix milliseconds. */
  @Column({ name: 'time', type: 'bigint' })
  time: number;

  /** Session of the recipient that sent the message and does not receive it; `null` for a message of another member. */
  @Column({ name: 'except_session', type: 'text', nullable: true })
  exceptSession: string | null;
}
