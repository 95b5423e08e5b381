import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { SessionEntity } from './session.entity.js';

/** An issued refresh token; only its hash is stored. */
@Entity({ schema: 'userctx', name: 'refresh_token' })
@Check('refresh_token_use_whole', '(used_at IS NULL) = (sealed_successor IS NULL)')
@ForeignKey(() => SessionEntity, ['sessionId'], ['sessionId'], {
  name: 'refresh_token_session_fkey',
  onDelete: 'CASCADE',
})
@Index('refresh_token_session', ['sessionId'])
export class RefreshTokenEntity {
  /** SHA-256 of the token. The token is random, so a fast hash is sufficient. */
  @PrimaryColumn('bytea', { name: 'token_hash', primaryKeyConstraintName: 'refresh_token_pkey' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'session_id' })
  sessionId!: string;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'issued_at' })
  issuedAt!: number;

  /** Unix milliseconds of the first use; null while unused. */
  @Column('bigint', { name: 'used_at', nullable: true })
  usedAt!: number | null;

  /**
   * The successor of this refresh token, encrypted with this token. Only a client that sends this token can receive the
   * successor again.
   */
  @Column('bytea', { name: 'sealed_successor', nullable: true })
  sealedSuccessor!: Buffer | null;
}
