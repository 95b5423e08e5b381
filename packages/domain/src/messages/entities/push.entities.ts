import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** TODO */
@Entity({ name: 'push_token', schema: 'gateway' })
@Unique('uq_push_token_digest', ['digest'])
@Unique('uq_push_token_session', ['sessionId', 'service'])
@Index('ix_push_token_user', ['userId', 'createdAt'])
export class PushTokenEntity {
  @PrimaryColumn({ name: 'token_id', type: 'uuid', primaryKeyConstraintName: 'pk_push_token' })
  tokenId: string;

  @Column({ name: 'user_id', type: 'text' })
  userId: string;

  @Column({ name: 'session_id', type: 'text' })
  sessionId: string;

  @Column({ name: 'service', type: 'text' })
  service: string;

  @Column({ name: 'token', type: 'text' })
  token: string;

  @Column({ name: 'digest', type: 'bytea' })
  digest: Buffer;

  @Column({ name: 'keys', type: 'json', nullable: true })
  keys: unknown | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/** TODO */
@Entity({ name: 'push_request', schema: 'gateway' })
@Index('ix_push_request_due', ['dueAt'])
export class PushRequestEntity {
  @PrimaryColumn({ name: 'user_id', type: 'text', primaryKeyConstraintName: 'pk_push_request' })
  userId: string;

  @PrimaryColumn({ name: 'collapse_key', type: 'text', primaryKeyConstraintName: 'pk_push_request' })
  collapseKey: string;

  @Column({ name: 'head', type: 'bigint' })
  head: number;

  @Column({ name: 'kind', type: 'text' })
  kind: string;

  @Column({ name: 'category', type: 'text' })
  category: string;

  @Column({ name: 'urgent', type: 'boolean' })
  urgent: boolean;

  @Column({ name: 'center_message_id', type: 'uuid', nullable: true })
  centerMessageId: string | null;

  @Column({ name: 'subject', type: 'json' })
  subject: unknown;

  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  @Column({ name: 'claimed_until', type: 'bigint', default: 0 })
  claimedUntil: number;

  @Column({ name: 'attempts', type: 'smallint', default: 0 })
  attempts: number;

  @Column({ name: 'delivered', type: 'uuid', array: true, default: () => `'{}'::uuid[]` })
  delivered: string[];
}

/** TODO */
@Entity({ name: 'push_key', schema: 'gateway' })
@Check('ck_push_key_singleton', 'singleton')
export class PushKeyEntity {
  @PrimaryColumn({ name: 'singleton', type: 'boolean', default: true, primaryKeyConstraintName: 'pk_push_key' })
  singleton: boolean;

  @Column({ name: 'public_key', type: 'text' })
  publicKey: string;

  @Column({ name: 'sealed_private_key', type: 'bytea' })
  sealedPrivateKey: Buffer;
}
