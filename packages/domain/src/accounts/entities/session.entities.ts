import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { AccountEntity } from './account.entities.js';

/**
 * Why a session ended. SIGNED_OUT: the session signed out. DELETED: the user ended it from another session.
 * TOKEN_REUSED: a used refresh token was sent again, which may mean that it was stolen. SUSPENDED: an operator suspended
 * the account.
 */
export type SessionEndReason = 'SIGNED_OUT' | 'DELETED' | 'CREDENTIALS_CHANGED' | 'TOKEN_REUSED' | 'SUSPENDED';

/** A session: one sign-in and the chain of refresh tokens issued for it. */
@Entity({ schema: 'userctx', name: 'session' })
@Check('session_ending_whole_check', '(ended_at IS NULL) = (ended_by IS NULL)')
@ForeignKey(() => AccountEntity, ['userId'], ['userId'], { name: 'session_account_fkey', onDelete: 'CASCADE' })
@Index('session_expiry', ['expiresAt'])
@Index('session_active', { synchronize: false })
export class SessionEntity {
  @PrimaryColumn('uuid', { name: 'session_id', primaryKeyConstraintName: 'session_pkey' })
  sessionId!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** User-Agent at sign-in. */
  @Column('text', { nullable: true })
  client!: string | null;

  /** Name that the app gave the device at sign-in; null for older apps. */
  @Column('text', { name: 'device_name', nullable: true })
  deviceName!: string | null;

  /** Network of the device at sign-in, coarse; null for sessions of earlier builds. */
  @Column('text', { nullable: true })
  network!: string | null;

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

/** An issued refresh token; only its hash is stored. */
@Entity({ schema: 'userctx', name: 'refresh_token' })
@Check('refresh_token_use_whole_check', '(used_at IS NULL) = (sealed_successor IS NULL)')
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

/** A revocation of access tokens before their expiry; stored until the last of these tokens has expired. */
@Entity({ schema: 'userctx', name: 'revocation' })
@Index('revocation_time', ['time'])
@Check('revocation_scope_single_check', 'num_nonnulls(session_id, principal) = 1')
export class RevocationEntity {
  @PrimaryColumn('uuid', { name: 'revocation_id', primaryKeyConstraintName: 'revocation_pkey' })
  revocationId!: string;

  /** Session whose tokens are revoked; null if `principal` is set. */
  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: string | null;

  /** Principal whose tokens issued before `time` are revoked; null if `sessionId` is set. */
  @Column('text', { nullable: true })
  principal!: string | null;

  /** Unix milliseconds. */
  @Column('bigint')
  time!: number;
}

/** A key pair that signs access tokens. All replicas share the rows of this table. */
@Entity({ schema: 'userctx', name: 'signing_key' })
@Unique('signing_key_kid_key', ['kid'])
@Check('signing_key_generation_positive_check', 'generation > 0')
export class SigningKeyEntity {
  /**
   * Number of the key: 1, 2, 3, …. The primary key ensures that exactly one of several concurrent replicas creates the
   * next key.
   */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'signing_key_pkey' })
  generation!: number;

  @Column('text')
  kid!: string;

  /** Raw Ed25519 public key, base64url. */
  @Column('text', { name: 'public_key' })
  publicKey!: string;

  /** Raw Ed25519 private key, encrypted with SECRET_KEY; `kid` is authenticated with it. */
  @Column('bytea', { name: 'sealed_private_key' })
  sealedPrivateKey!: Buffer;

  /**
   * Unix milliseconds from which the key signs. The public key is published before this time, so that every verifier
   * has fetched it before the first signature.
   */
  @Column('bigint', { name: 'signs_from' })
  signsFrom!: number;
}
