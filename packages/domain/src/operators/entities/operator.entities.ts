import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OperatorRole } from '../contracts/operator.js';

/** The account of an operator. Operators have no account of a person, and persons are never operators. */
@Entity({ schema: 'userctx', name: 'operator_account' })
@Unique('operator_account_login_name_key', ['loginName'])
@Check(
  'operator_account_roles_known_check',
  `cardinality(roles) > 0 AND roles <@ ARRAY['SUPPORT', 'FLEET', 'BILLING', 'ADMIN']`,
)
export class OperatorAccountEntity {
  @PrimaryColumn('uuid', { name: 'operator_id', primaryKeyConstraintName: 'operator_account_pkey' })
  operatorId!: string;

  @Column('text', { name: 'login_name' })
  loginName!: string;

  @Column('text', { array: true })
  roles!: OperatorRole[];

  /** argon2id hash in PHC format. */
  @Column('text', { name: 'password_hash' })
  passwordHash!: string;

  /** Secret of the TOTP codes (RFC 6238), encrypted with SECRET_KEY; the operator id is authenticated with it. */
  @Column('bytea', { name: 'sealed_totp_secret' })
  sealedTotpSecret!: Buffer;

  /** Time step of the last used TOTP code: this code and earlier ones are rejected. */
  @Column('bigint', { name: 'last_totp_step', default: 0 })
  lastTotpStep!: number;

  /**
   * Increases with every change of the credentials. A sign-in fails if this number has increased since its credentials
   * were checked.
   */
  @Column('integer', { name: 'credential_version', default: 1 })
  credentialVersion!: number;

  /** Unix milliseconds; null while the operator may sign in. */
  @Column('bigint', { name: 'suspended_at', nullable: true })
  suspendedAt!: number | null;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}

/** An unused recovery code, with which an operator signs in once without a TOTP code. */
@Entity({ schema: 'userctx', name: 'operator_recovery_code' })
@ForeignKey(() => OperatorAccountEntity, ['operatorId'], ['operatorId'], {
  name: 'operator_recovery_code_account_fkey',
  onDelete: 'CASCADE',
})
export class OperatorRecoveryCodeEntity {
  @PrimaryColumn('uuid', { name: 'operator_id', primaryKeyConstraintName: 'operator_recovery_code_pkey' })
  operatorId!: string;

  /** Keyed digest of operator id and code. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'operator_recovery_code_pkey' })
  digest!: Buffer;
}

/** A session of an operator. The session and its only access token expire together. */
@Entity({ schema: 'userctx', name: 'operator_session' })
@ForeignKey(() => OperatorAccountEntity, ['operatorId'], ['operatorId'], {
  name: 'operator_session_account_fkey',
  onDelete: 'CASCADE',
})
@Index('operator_session_operator', ['operatorId'])
@Index('operator_session_expiry', ['expiresAt'])
export class OperatorSessionEntity {
  @PrimaryColumn('uuid', { name: 'session_id', primaryKeyConstraintName: 'operator_session_pkey' })
  sessionId!: string;

  @Column('uuid', { name: 'operator_id' })
  operatorId!: string;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'expires_at' })
  expiresAt!: number;

  /** Unix milliseconds; null while the session is active. */
  @Column('bigint', { name: 'ended_at', nullable: true })
  endedAt!: number | null;
}

/**
 * An entry of the audit list: a request of an operator, stored before the operation acts. The runtime role can neither
 * change nor delete entries, so the table has no foreign keys.
 */
@Entity({ schema: 'userctx', name: 'operator_audit_entry' })
@Index('operator_audit_entry_time', { synchronize: false })
@Index('operator_audit_entry_actor', { synchronize: false })
export class OperatorAuditEntryEntity {
  @PrimaryColumn('uuid', { name: 'entry_id', primaryKeyConstraintName: 'operator_audit_entry_pkey' })
  entryId!: string;

  /** Unix milliseconds. */
  @Column('bigint')
  time!: number;

  /** `operator:<id>`, or `command-line`. */
  @Column('text')
  actor!: string;

  /** Session of the request; null for sign-ins and for the command line. */
  @Column('uuid', { name: 'session_id', nullable: true })
  sessionId!: string | null;

  /** Id of the operation, or the command. */
  @Column('text')
  operation!: string;

  /** Fields of the request that identify what it concerns. */
  @Column('jsonb')
  fields!: Record<string, string>;

  /** False if the request was rejected because of its session, its roles or its credentials. */
  @Column('boolean')
  admitted!: boolean;

  /** IP address of the request; null for the command line. */
  @Column('text', { nullable: true })
  ip!: string | null;
}
