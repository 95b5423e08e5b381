import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { WatchEntity } from './watch.entities.js';
import type { DeploymentState, FirmwareImageState, RolloutErrorAction, RolloutState } from '../contracts/firmware.js';

/** A signed firmware image for one model of watches. mcdisk has its bytes. Times are Unix milliseconds. */
@Entity({ name: 'firmware_image', schema: 'userctx' })
@Unique('firmware_image_version_key', ['model', 'version'])
@Check('firmware_image_state_check', `state IN ('ANNOUNCED', 'READY', 'WITHDRAWN')`)
@Check('firmware_image_size_check', 'size > 0')
@Check('firmware_image_signature_length_check', 'octet_length(signature) = 64')
export class FirmwareImageEntity {
  @PrimaryColumn({ name: 'image_id', type: 'uuid', primaryKeyConstraintName: 'firmware_image_pkey' })
  imageId: string;

  @Column({ name: 'model', type: 'text' })
  model: string;

  @Column({ name: 'version', type: 'text' })
  version: string;

  /** Bytes. */
  @Column({ name: 'size', type: 'bigint' })
  size: number;

  /** SHA-256, lower-case hex. */
  @Column({ name: 'digest', type: 'text' })
  digest: string;

  /** Ed25519 signature over the text of `firmwareSigningPayload`. */
  @Column({ name: 'signature', type: 'bytea' })
  signature: Buffer;

  /** Name of the public key in FIRMWARE_PUBLIC_KEYS that verifies the signature. */
  @Column({ name: 'key_id', type: 'text' })
  keyId: string;

  @Column({ name: 'state', type: 'text' })
  state: FirmwareImageState;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/** A named group of watches that operators maintain. Times are Unix milliseconds. */
@Entity({ name: 'firmware_group', schema: 'userctx' })
@Unique('firmware_group_name_key', ['name'])
export class FirmwareGroupEntity {
  @PrimaryColumn({ name: 'group_id', type: 'uuid', primaryKeyConstraintName: 'firmware_group_pkey' })
  groupId: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

@Entity({ name: 'firmware_group_member', schema: 'userctx' })
@ForeignKey(() => FirmwareGroupEntity, ['groupId'], ['groupId'], {
  name: 'firmware_group_member_group_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'firmware_group_member_watch_fkey', onDelete: 'CASCADE' })
@Index('firmware_group_member_watch', ['did'])
export class FirmwareGroupMemberEntity {
  @PrimaryColumn({ name: 'group_id', type: 'uuid', primaryKeyConstraintName: 'firmware_group_member_pkey' })
  groupId: string;

  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'firmware_group_member_pkey' })
  did: number;
}

/** The distribution of an image to a group of watches in waves. Times are Unix milliseconds. */
@Entity({ name: 'firmware_rollout', schema: 'userctx' })
@ForeignKey(() => FirmwareImageEntity, ['imageId'], ['imageId'], { name: 'firmware_rollout_image_fkey' })
@ForeignKey(() => FirmwareGroupEntity, ['groupId'], ['groupId'], { name: 'firmware_rollout_group_fkey' })
@Check('firmware_rollout_state_check', `state IN ('SCHEDULED', 'RUNNING', 'PAUSED', 'FINISHED', 'STOPPED')`)
@Check('firmware_rollout_wave_check', 'current_wave BETWEEN 1 AND cardinality(waves)')
@Index('firmware_rollout_of_image', ['imageId'])
@Index('firmware_rollout_of_group', ['groupId'])
@Index('firmware_rollout_age', { synchronize: false })
@Index('firmware_rollout_active', ['rolloutId'], { where: `state IN ('SCHEDULED', 'RUNNING')` })
export class FirmwareRolloutEntity {
  @PrimaryColumn({ name: 'rollout_id', type: 'uuid', primaryKeyConstraintName: 'firmware_rollout_pkey' })
  rolloutId: string;

  @Column({ name: 'image_id', type: 'uuid' })
  imageId: string;

  /** Null for all watches of the image's model. */
  @Column({ name: 'group_id', type: 'uuid', nullable: true })
  groupId: string | null;

  @Column({ name: 'state', type: 'text' })
  state: RolloutState;

  /** Percentage of the watches up to and including each wave, ascending; the last one is 100. */
  @Column({ name: 'waves', type: 'integer', array: true })
  waves: number[];

  /** The last wave that gets the image, counted from 1. */
  @Column({ name: 'current_wave', type: 'integer', default: 1 })
  currentWave: number;

  /** Percentage of the watches of the current wave that must have succeeded before the next wave begins. */
  @Column({ name: 'success_threshold', type: 'integer' })
  successThreshold: number;

  /** Percentage of the watches of a wave whose update failed at which the error action is taken. */
  @Column({ name: 'error_threshold', type: 'integer' })
  errorThreshold: number;

  @Column({ name: 'error_action', type: 'text' })
  errorAction: RolloutErrorAction;

  /**
   * Number of watches with errors in each wave when an operator last resumed the rollout; only further errors count.
   * Empty until then.
   */
  @Column({ name: 'accepted_errors', type: 'integer', array: true })
  acceptedErrors: number[];

  /** When an operator last resumed the rollout; null until then. Begun updates then have their full time again. */
  @Column({ name: 'resumed_at', type: 'bigint', nullable: true })
  resumedAt: number | null;

  /** Minimum battery level in per cent. */
  @Column({ name: 'min_battery', type: 'integer' })
  minBattery: number;

  @Column({ name: 'requires_charging', type: 'boolean' })
  requiresCharging: boolean;

  /** True if no update begins during the school times of the watch's child. */
  @Column({ name: 'avoids_school_time', type: 'boolean' })
  avoidsSchoolTime: boolean;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** When the rollout starts by itself; null if an operator starts it. */
  @Column({ name: 'start_at', type: 'bigint', nullable: true })
  startAt: number | null;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;
}

/** The update of one watch by one rollout. */
@Entity({ name: 'firmware_deployment', schema: 'userctx' })
@Unique('firmware_deployment_watch_key', ['rolloutId', 'did'])
@ForeignKey(() => FirmwareRolloutEntity, ['rolloutId'], ['rolloutId'], {
  name: 'firmware_deployment_rollout_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'firmware_deployment_watch_fkey', onDelete: 'CASCADE' })
@Check(
  'firmware_deployment_state_check',
  `state IN ('SCHEDULED', 'DOWNLOADING', 'DOWNLOADED', 'INSTALLING', 'SUCCESS', 'FAILED', 'REJECTED')`,
)
@Index('firmware_deployment_counts', ['rolloutId', 'wave', 'state', 'failures'])
@Index('firmware_deployment_watch', ['did'])
export class FirmwareDeploymentEntity {
  @PrimaryColumn({ name: 'deployment_id', type: 'uuid', primaryKeyConstraintName: 'firmware_deployment_pkey' })
  deploymentId: string;

  @Column({ name: 'rollout_id', type: 'uuid' })
  rolloutId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  /** The wave in which the watch gets the image, counted from 1. */
  @Column({ name: 'wave', type: 'integer' })
  wave: number;

  @Column({ name: 'state', type: 'text' })
  state: DeploymentState;

  /** Number of failed attempts. The current attempt has the next number. */
  @Column({ name: 'failures', type: 'integer', default: 0 })
  failures: number;

  /** Unix milliseconds of the last change of state. */
  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;

  /** What the watch reported about its last failure; null if it gave no reason. */
  @Column({ name: 'error', type: 'text', nullable: true })
  error: string | null;
}
