import { Check, Column, Entity, Index, PrimaryColumn, Unique, ForeignKey } from 'typeorm';

/**
 * An enrolled watch. Each public key has one `did`. The watch claims its IMEI, and the service cannot verify it. Times
 * are Unix milliseconds.
 */
@Entity({ name: 'watch', schema: 'userctx' })
@Unique('watch_public_key_key', ['publicKey'])
@Index('watch_enrolled', ['enrolledAt', 'did'])
@Check('watch_did_range_check', 'did BETWEEN 1 AND 9007199254740991')
@Check('watch_public_key_length_check', 'octet_length(public_key) = 32')
export class WatchEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'watch_pkey' })
  did: number;

  /** Raw Ed25519 public key. */
  @Column({ name: 'public_key', type: 'bytea' })
  publicKey: Buffer;

  @Index('watch_imei')
  @Column({ name: 'imei', type: 'text' })
  imei: string;

  @Column({ name: 'model', type: 'text' })
  model: string;

  @Column({ name: 'firmware_version', type: 'text' })
  firmwareVersion: string;

  @Column({ name: 'enrolled_at', type: 'bigint' })
  enrolledAt: number;

  /** When the service last received any request or message of the watch, such as a token request or a status report. */
  @Index('watch_last_contact')
  @Column({ name: 'last_contact_at', type: 'bigint' })
  lastContactAt: number;

  /** When the watch's key was revoked; the service rejects the key permanently. Null if the key is not revoked. */
  @Column({ name: 'revoked_at', type: 'bigint', nullable: true })
  revokedAt: number | null;
}

/**
 * A period in which a watch is bound to a child. `unboundAt` is null while the binding is effective. Times are Unix
 * milliseconds.
 */
@Entity({ name: 'watch_binding', schema: 'userctx' })
@Check('watch_binding_period_check', 'unbound_at IS NULL OR unbound_at >= bound_at')
@Index('watch_binding_one_child', ['did'], { unique: true, where: 'unbound_at IS NULL' })
@Index('watch_binding_one_watch', ['cid'], { unique: true, where: 'unbound_at IS NULL' })
@Index('watch_binding_one_imei', ['imei'], { unique: true, where: 'unbound_at IS NULL' })
@Index('watch_binding_of_watch', ['did', 'boundAt'])
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'watch_binding_watch_fkey', onDelete: 'CASCADE' })
export class WatchBindingEntity {
  @PrimaryColumn({ name: 'binding_id', type: 'uuid', primaryKeyConstraintName: 'watch_binding_pkey' })
  bindingId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** The IMEI claimed by the watch when it was bound. */
  @Column({ name: 'imei', type: 'text' })
  imei: string;

  @Column({ name: 'bound_at', type: 'bigint' })
  boundAt: number;

  @Column({ name: 'unbound_at', type: 'bigint', nullable: true })
  unboundAt: number | null;
}

/** Digests of the current bind code of a watch and of its confirmation code; the codes themselves are not stored. */
@Entity({ name: 'bind_code', schema: 'userctx' })
@Unique('bind_code_digest_key', ['codeDigest'])
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'bind_code_watch_fkey', onDelete: 'CASCADE' })
export class BindCodeEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'bind_code_pkey' })
  did: number;

  @Column({ name: 'code_digest', type: 'bytea' })
  codeDigest: Buffer;

  @Column({ name: 'confirm_digest', type: 'bytea' })
  confirmDigest: Buffer;

  /** Unix milliseconds. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  /** Number of attempts to bind with this bind code; after too many attempts, the code is invalid. */
  @Column({ name: 'tries', type: 'smallint', default: 0 })
  tries: number;
}

/** An entry of the enrolment list: the IMEI of a watch that may enrol, and the key that must sign the watch's key. */
@Entity({ name: 'enrolment_list_entry', schema: 'userctx' })
@Check('enrolment_list_entry_key_length_check', 'octet_length(maker_key) = 32')
export class EnrolmentListEntryEntity {
  @PrimaryColumn({ name: 'imei', type: 'text', primaryKeyConstraintName: 'enrolment_list_entry_pkey' })
  imei: string;

  /** Raw Ed25519 public key of the manufacturer. */
  @Column({ name: 'maker_key', type: 'bytea' })
  makerKey: Buffer;

  /** Unix milliseconds. */
  @Column({ name: 'listed_at', type: 'bigint' })
  listedAt: number;
}

/**
 * A nonce that a watch has used. The service stores a nonce only after its use, to reject a second use, and deletes it
 * when the nonce has expired.
 */
@Entity({ name: 'used_nonce', schema: 'userctx' })
@Index('used_nonce_expires', ['expiresAt'])
export class UsedNonceEntity {
  @PrimaryColumn({ name: 'nonce', type: 'bytea', primaryKeyConstraintName: 'used_nonce_pkey' })
  nonce: Buffer;

  /** Unix milliseconds. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}

/** The last reported status of a watch. Null means unknown. Times are Unix milliseconds. */
@Entity({ name: 'watch_status', schema: 'userctx' })
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'watch_status_watch_fkey', onDelete: 'CASCADE' })
export class WatchStatusEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'watch_status_pkey' })
  did: number;

  @Column({ name: 'battery', type: 'integer', nullable: true })
  battery: number | null;

  @Column({ name: 'charging', type: 'boolean', nullable: true })
  charging: boolean | null;

  @Column({ name: 'worn', type: 'boolean', nullable: true })
  worn: boolean | null;

  @Column({ name: 'signal', type: 'integer', nullable: true })
  signal: number | null;

  @Column({ name: 'signal_max', type: 'integer', nullable: true })
  signalMax: number | null;

  @Column({ name: 'step_total', type: 'bigint', nullable: true })
  stepTotal: number | null;

  /** Time at which the watch read its step counter, or at which its last binding ended if that is later. */
  @Column({ name: 'steps_at', type: 'bigint', nullable: true })
  stepsAt: number | null;

  @Column({ name: 'firmware_version', type: 'text', nullable: true })
  firmwareVersion: string | null;

  /**
   * Time of the last reported status, or at which the last binding ended if that is later; null if the watch has only
   * reported starts and shutdowns.
   */
  @Column({ name: 'reported_at', type: 'bigint', nullable: true })
  reportedAt: number | null;

  /** Time of the last message from the watch. */
  @Column({ name: 'last_seen', type: 'bigint' })
  lastSeen: number;

  /** True while the watch is online; null before the first presence event from the gateway. */
  @Column({ type: 'boolean', nullable: true })
  online: boolean | null;

  /** Time since which `online` has its present value. */
  @Column({ name: 'presence_at', type: 'bigint', nullable: true })
  presenceAt: number | null;
}

/** Steps of a child on a date (`YYYY-MM-DD`) in the child's time zone. */
@Entity({ name: 'step_day', schema: 'userctx' })
export class DailyStepsEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'step_day_pkey' })
  cid: string;

  @PrimaryColumn({ name: 'day', type: 'date', primaryKeyConstraintName: 'step_day_pkey' })
  day: string;

  @Column({ name: 'steps', type: 'integer' })
  steps: number;
}
