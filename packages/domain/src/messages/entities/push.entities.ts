import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { DeliverySubject } from '../contracts/message-center.js';
import type { MessageKind } from '../contracts/message-kinds.js';
import type { PushService, WebPushKeys, SubscriptionCategory } from '../contracts/subscription.js';

/** Push token of a session, with which a push service addresses the phone. At most one per session and push service. */
@Entity({ schema: 'gateway', name: 'push_token' })
@Unique('push_token_digest_key', ['digest'])
@Unique('push_token_session_key', ['sessionId', 'service'])
@Index('push_token_user', ['userId', 'createdAt'])
export class PushTokenEntity {
  @PrimaryColumn({ name: 'token_id', type: 'uuid', primaryKeyConstraintName: 'push_token_pkey' })
  tokenId: string;

  @Column({ name: 'user_id', type: 'text' })
  userId: string;

  @Column({ name: 'session_id', type: 'text' })
  sessionId: string;

  @Column({ name: 'service', type: 'text' })
  service: PushService;

  @Column({ name: 'token', type: 'text' })
  token: string;

  /** SHA-256 of service and token. Unique, because a phone keeps its token when another user signs in on it. */
  @Column({ name: 'digest', type: 'bytea' })
  digest: Buffer;

  /** Encryption keys of the browser for Web Push; null for other push services. */
  @Column({ name: 'keys', type: 'json', nullable: true })
  keys: WebPushKeys | null;

  /** When the token was last registered. Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/**
 * A notification that will be sent to the phones of a user unless one of the user's devices acknowledges the message
 * before. Times are Unix milliseconds.
 */
@Entity({ schema: 'gateway', name: 'push_request' })
@Index('push_request_due', ['dueAt'])
@Index('push_request_urgent', ['dueAt'], { where: 'urgent' })
export class PushRequestEntity {
  @PrimaryColumn({ name: 'user_id', type: 'text', primaryKeyConstraintName: 'push_request_pkey' })
  userId: string;

  /** A newer message with the same key replaces the notification. */
  @PrimaryColumn({ name: 'collapse_key', type: 'text', primaryKeyConstraintName: 'push_request_pkey' })
  collapseKey: string;

  /** Sequence number of the newest message that the notification announces. */
  @Column({ name: 'head', type: 'bigint' })
  head: number;

  @Column({ name: 'kind', type: 'text' })
  kind: MessageKind;

  @Column({ name: 'category', type: 'text' })
  category: SubscriptionCategory;

  @Column({ name: 'urgent', type: 'boolean' })
  urgent: boolean;

  /** `null` if the message is not in the message centre. */
  @Column({ name: 'center_message_id', type: 'uuid', nullable: true })
  centerMessageId: string | null;

  @Column({ name: 'subject', type: 'json' })
  subject: DeliverySubject;

  /** When the notification is sent. */
  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  /** End of the claim of the node that is sending the notification; 0 if no node has claimed the request. */
  @Column({ name: 'claimed_until', type: 'bigint', default: 0 })
  claimedUntil: number;

  /** Number of times that a node has claimed the request. */
  @Column({ name: 'attempts', type: 'smallint', default: 0 })
  attempts: number;

  /** Ids of the push tokens that a retry skips: the push service has accepted the notification or rejected it for good. */
  @Column({ name: 'delivered', type: 'uuid', array: true, default: () => `'{}'::uuid[]` })
  delivered: string[];
}

/** The VAPID key pair of this service for Web Push. The table has one row. */
@Entity({ schema: 'gateway', name: 'push_key' })
@Check('push_key_singleton_check', 'singleton')
export class PushKeyEntity {
  @PrimaryColumn({ name: 'singleton', type: 'boolean', default: true, primaryKeyConstraintName: 'push_key_pkey' })
  singleton: boolean;

  @Column({ name: 'public_key', type: 'text' })
  publicKey: string;

  /** Private key, encrypted with SECRET_KEY. */
  @Column({ name: 'sealed_private_key', type: 'bytea' })
  sealedPrivateKey: Buffer;
}
