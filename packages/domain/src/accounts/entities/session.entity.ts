import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AccountEntity } from './account.entity.js';

/** Why a session ended; for the user's session list and for incident analysis. */
export type SessionEndReason = 'SIGNED_OUT' | 'DELETED' | 'CREDENTIALS_CHANGED' | 'TOKEN_REUSED';

/** A session: one sign-in and the chain of refresh tokens issued for it. */
@Entity({ schema: 'userctx', name: 'session' })
@Check('session_ending_whole', '(ended_at IS NULL) = (ended_by IS NULL)')
@ForeignKey(() => AccountEntity, ['userId'], ['userId'], { name: 'session_account_fkey', onDelete: 'CASCADE' })
@Index('session_expiry', ['expiresAt'])
@Index('session_standing', { synchronize: false })
export class SessionEntity {
  @PrimaryColumn('uuid', { name: 'session_id', primaryKeyConstraintName: 'session_pkey' })
  sessionId!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** User-Agent at sign-in. */
  @Column('text', { nullable: true })
  client!: string | null;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'last_used_at' })
  lastUsedAt!: number;

  /** Unix milliseconds; extended by every refresh. */
  @Column('bigint', { name: 'expires_at' })
  expiresAt!: number;

  /** Unix milliseconds; null while the session is active. */
  @Column('bigint', { name: 'ended_at', nullable: true })
  endedAt!: number | null;

  @Column('text', { name: 'ended_by', nullable: true })
  endedBy!: SessionEndReason | null;
}
