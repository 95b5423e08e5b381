import { Column, Entity, PrimaryColumn, Unique, Check, Index, ForeignKey } from 'typeorm';
import type { SmsScene, ConsentPurpose } from '../contracts/account.js';

/** The account of a person. */
@Entity({ schema: 'userctx', name: 'account' })
@Unique('account_phone_key', ['areaCode', 'phoneNumber'])
@Index('account_created', ['createdAt', 'userId'])
@Index('account_suspended', ['createdAt', 'userId'], { where: 'suspended_at IS NOT NULL' })
export class AccountEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'account_pkey' })
  userId!: string;

  /** Country calling code with `+`. */
  @Column('text', { name: 'area_code' })
  areaCode!: string;

  @Column('text', { name: 'phone_number' })
  phoneNumber!: string;

  @Column('text')
  nickname!: string;

  @Column('text', { nullable: true })
  avatar!: string | null;

  /** IANA time zone. */
  @Column('text', { name: 'time_zone' })
  timeZone!: string;

  /** argon2id hash in PHC format; null while the person signs in by SMS code only. */
  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  /**
   * Increases with every change of password or phone number. A sign-in fails if this number has increased since its
   * credentials were checked.
   */
  @Column('integer', { name: 'credential_version', default: 1 })
  credentialVersion!: number;

  /** When an operator suspended the account, in Unix milliseconds; null while the person may sign in. */
  @Column('bigint', { name: 'suspended_at', nullable: true })
  suspendedAt!: number | null;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}

/** The current SMS code for a phone number and scene. A new code replaces the row of the previous code. */
@Entity({ schema: 'userctx', name: 'sms_challenge' })
@Unique('sms_challenge_id_key', ['challengeId'])
@Check('sms_challenge_tries_bounded_check', 'tries BETWEEN 0 AND 5')
@Index('sms_challenge_age', ['createdAt'])
export class SmsChallengeEntity {
  @PrimaryColumn('text', { name: 'area_code', primaryKeyConstraintName: 'sms_challenge_pkey' })
  areaCode!: string;

  @PrimaryColumn('text', { name: 'phone_number', primaryKeyConstraintName: 'sms_challenge_pkey' })
  phoneNumber!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'sms_challenge_pkey' })
  scene!: SmsScene;

  @Column('uuid', { name: 'challenge_id' })
  challengeId!: string;

  /** Keyed digest of challenge id and code. */
  @Column('bytea')
  digest!: Buffer;

  /** Number of attempts to use the code, including successful attempts. */
  @Column('smallint', { default: 0 })
  tries!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'expires_at' })
  expiresAt!: number;

  /**
   * When an operation used the code, in Unix milliseconds; null for an unused code. A code is valid for one operation.
   */
  @Column('bigint', { name: 'consumed_at', nullable: true })
  consumedAt!: number | null;
}

/** A link with which a person signs in once without an SMS; only the hash of its token is stored. */
@Entity({ schema: 'userctx', name: 'sign_in_link' })
@ForeignKey(() => AccountEntity, ['userId'], ['userId'], { name: 'sign_in_link_account_fkey', onDelete: 'CASCADE' })
@Index('sign_in_link_expiry', ['expiresAt'])
@Index('sign_in_link_of_account', ['userId'])
export class SignInLinkEntity {
  /** SHA-256 of the token. The token is random, so a fast hash is sufficient. */
  @PrimaryColumn('bytea', { name: 'token_hash', primaryKeyConstraintName: 'sign_in_link_pkey' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** The account's version when the link was created. A change of password or phone number makes the link invalid. */
  @Column('integer', { name: 'credential_version' })
  credentialVersion!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'expires_at' })
  expiresAt!: number;
}

/** Number of attempts of one kind by or for one subject in the current time window, for rate limits. */
@Entity({ schema: 'userctx', name: 'attempt_counter' })
@Index('attempt_counter_window', ['windowEndsAt'])
export class AttemptCounterEntity {
  /**
   * Keyed digest of the kind of attempt and of its subject, such as a phone number or an IP address. The subject itself
   * is not stored.
   */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'attempt_counter_pkey' })
  key!: Buffer;

  @Column('integer')
  attempts!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'window_ends_at' })
  windowEndsAt!: number;
}

/** The consent of a person to one purpose. */
@Entity({ name: 'consent', schema: 'userctx' })
@ForeignKey(() => AccountEntity, ['userId'], ['userId'], { name: 'consent_account_fkey', onDelete: 'CASCADE' })
@Check('consent_never_asked_check', '((version = 0) = (changed_at IS NULL)) AND ((version > 0) OR (NOT granted))')
export class ConsentEntity {
  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'consent_pkey' })
  userId: string;

  @PrimaryColumn({ name: 'purpose', type: 'text', primaryKeyConstraintName: 'consent_pkey' })
  purpose: ConsentPurpose;

  @Column({ name: 'granted', type: 'boolean' })
  granted: boolean;

  /** Number of changes; 0 if the person was never asked. */
  @Column({ name: 'version', type: 'integer' })
  version: number;

  /** Unix milliseconds; null if the person was never asked. */
  @Column({ name: 'changed_at', type: 'bigint', nullable: true })
  changedAt: number | null;

  /** Version of the texts to which the person consented. */
  @Column({ name: 'text_version', type: 'integer', default: 1 })
  textVersion: number;
}

/** One change of a consent: an entry of the history that is returned to the person. */
@Entity({ name: 'consent_change', schema: 'userctx' })
@ForeignKey(() => ConsentEntity, ['userId', 'purpose'], ['userId', 'purpose'], {
  name: 'consent_change_consent_fkey',
  onDelete: 'CASCADE',
})
export class ConsentChangeEntity {
  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'consent_change_pkey' })
  userId: string;

  @PrimaryColumn({ name: 'purpose', type: 'text', primaryKeyConstraintName: 'consent_change_pkey' })
  purpose: ConsentPurpose;

  /** Version of the consent after the change. */
  @PrimaryColumn({ name: 'version', type: 'integer', primaryKeyConstraintName: 'consent_change_pkey' })
  version: number;

  @Column({ name: 'granted', type: 'boolean' })
  granted: boolean;

  /** Unix milliseconds. */
  @Column({ name: 'time', type: 'bigint' })
  time: number;

  /** Version of the texts at the time of the change. */
  @Column({ name: 'text_version', type: 'integer', default: 1 })
  textVersion: number;
}
