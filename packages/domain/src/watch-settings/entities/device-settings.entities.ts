import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { LocationMode, PermanentLocationMode } from '../contracts/device-settings.js';
import type { SettingsAckState } from '../contracts/settings-state.js';
import type { SettingsResource } from '../contracts/watch-settings.events.js';

/**
 * The version of one settings resource of a child, and the newest acknowledgement by a watch. The acknowledgement is
 * valid for one binding. Its columns are null before the first acknowledgement.
 */
@Entity({ name: 'settings_version', schema: 'userctx' })
@Check(
  'settings_version_answer_check',
  '(num_nulls(answered_by, answered_in, answered_version, answered_status) IN (0, 4)) AND (answered_version BETWEEN 1 AND version) AND (applied_version BETWEEN 1 AND answered_version)',
)
@Check('settings_version_resource_check', `resource IN ('ALARM_CLOCK', 'SCHOOL_DISABLE', 'REJECT_STRANGER', 'DEVICE')`)
export class SettingsVersionEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'settings_version_pk' })
  cid: string;

  @PrimaryColumn({ name: 'resource', type: 'text', primaryKeyConstraintName: 'settings_version_pk' })
  resource: SettingsResource;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** Number of changes of the resource. */
  @Column({ name: 'version', type: 'integer', default: 0 })
  version: number;

  /** The watch that acknowledged. */
  @Column({ name: 'answered_by', type: 'bigint', nullable: true })
  did: number | null;

  /** Unix milliseconds at which the acknowledging watch was bound to the child. */
  @Column({ name: 'answered_in', type: 'bigint', nullable: true })
  boundAt: number | null;

  @Column({ name: 'answered_version', type: 'integer', nullable: true })
  acknowledgedVersion: number | null;

  @Column({ name: 'answered_status', type: 'text', nullable: true })
  status: SettingsAckState['status'] | null;

  /** Why the watch rejected the version; null if it did not report a reason. */
  @Column({ name: 'answered_reason', type: 'text', nullable: true })
  reason: string | null;

  /** The newest version that the watch has applied; null if it has applied none since it was bound. */
  @Column({ name: 'applied_version', type: 'integer', nullable: true })
  appliedVersion: number | null;
}

/**
 * Location mode and lost mode of a child's watch. A child without a row has the default settings. Times are Unix
 * milliseconds.
 */
@Entity({ name: 'device_settings', schema: 'userctx' })
@Check('device_settings_follow_check', `location_mode <> 'FOLLOW'`)
@Check(
  'device_settings_mode_check',
  `(location_mode IN ('SAVE', 'NORMAL', 'FOLLOW')) AND (temporary_mode IN ('SAVE', 'NORMAL', 'FOLLOW'))`,
)
@Check('device_settings_temporary_check', 'num_nulls(temporary_mode, temporary_until) IN (0, 2)')
export class DeviceSettingsEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'device_settings_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'location_mode', type: 'text' })
  locationMode: PermanentLocationMode;

  /** Replaces `locationMode` until `temporaryUntil`. */
  @Column({ name: 'temporary_mode', type: 'text', nullable: true })
  temporaryMode: LocationMode | null;

  @Column({ name: 'temporary_until', type: 'bigint', nullable: true })
  temporaryUntil: number | null;

  @Column({ name: 'lost', type: 'boolean' })
  lost: boolean;

  /** Text that a lost watch shows to its finder. */
  @Column({ name: 'lost_message', type: 'text', nullable: true })
  lostMessage: string | null;

  /** Until this time the mode is FOLLOW instead of the mode that the guardians have set. */
  @Column({ name: 'follow_until', type: 'bigint', nullable: true })
  followUntil: number | null;
}
