import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A refresh token that was given out; only its hash is kept. */
@Entity({ schema: 'userctx', name: 'refresh_token' })
export class RefreshTokenEntity {
  /** SHA-256 of the token, which is random and needs no slow hash. */
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

  /** The token that followed, encrypted under this one: only who holds this one can be given it again. */
  @Column('bytea', { name: 'sealed_successor', nullable: true })
  sealedSuccessor!: Buffer | null;
}
