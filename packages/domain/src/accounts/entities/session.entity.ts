import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Why a session ended; for the person's own list and for those who look into an incident. */
export type SessionEndReason = 'SIGNED_OUT' | 'DELETED' | 'CREDENTIALS_CHANGED' | 'TOKEN_REUSED';

/** One sign-in: the family of refresh tokens that follow one another from it. */
@Entity({ schema: 'userctx', name: 'session' })
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

  /** Unix milliseconds; every refresh moves it. */
  @Column('bigint', { name: 'expires_at' })
  expiresAt!: number;

  /** Unix milliseconds; null while it stands. */
  @Column('bigint', { name: 'ended_at', nullable: true })
  endedAt!: number | null;

  @Column('text', { name: 'ended_by', nullable: true })
  endedBy!: SessionEndReason | null;
}
