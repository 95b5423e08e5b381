import { Check, Column, Entity, PrimaryColumn, Index, Unique } from 'typeorm';
import type { AlarmRepeat } from '../contracts/alarm-clock.js';
import type { LocationMode, LocationModeRange, PermanentLocationMode, RingMode } from '../contracts/device-settings.js';
import type { SettingsAckState, SettingsResource } from '../contracts/settings-state.js';
import type { BlockCause, CallOutcome } from '../contracts/stranger-rule.js';

/**
 * The version of one settings resource of a child, and the newest acknowledgement by a watch. The columns of the
 * acknowledgement are null before the first one. It is valid only while the acknowledging watch stays bound to the
 * child.
 */
@Entity({ name: 'settings_version', schema: 'userctx' })
@Check(
  'settings_version_answer_check',
  '(num_nulls(answered_by, answered_in, answered_version, answered_status) IN (0, 4)) AND (answered_version BETWEEN 1 AND version) AND (applied_version BETWEEN 1 AND answered_version)',
)
@Check('settings_version_resource_check', `resource IN ('ALARM_CLOCK', 'SCHOOL_DISABLE', 'REJECT_STRANGER', 'DEVICE')`)
export class SettingsVersionEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'settings_version_pkey' })
  cid: string;

  @PrimaryColumn({ name: 'resource', type: 'text', primaryKeyConstraintName: 'settings_version_pkey' })
  resource: SettingsResource;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** Number of changes of the resource. */
  @Column({ name: 'version', type: 'integer', default: 0 })
  version: number;

  /** The watch that sent the newest acknowledgement. */
  @Column({ name: 'answered_by', type: 'bigint', nullable: true })
  did: number | null;

  /** When the acknowledging watch was bound to the child, in Unix milliseconds; identifies the binding. */
  @Column({ name: 'answered_in', type: 'bigint', nullable: true })
  boundAt: number | null;

  @Column({ name: 'answered_version', type: 'integer', nullable: true })
  acknowledgedVersion: number | null;

  @Column({ name: 'answered_status', type: 'text', nullable: true })
  status: SettingsAckState['status'] | null;

  /** Why the watch rejected the version; null if it did not report a reason. */
  @Column({ name: 'answered_reason', type: 'text', nullable: true })
  reason: string | null;

  /** The newest version that the acknowledging watch has applied; null if it has applied none since it was bound. */
  @Column({ name: 'applied_version', type: 'integer', nullable: true })
  appliedVersion: number | null;
}

/**
 * Location mode, lost mode, sound, screen and times of a child's watch. A child without a row has the default settings. Times are Unix
 * milliseconds.
 */
@Entity({ name: 'device_settings', schema: 'userctx' })
@Check('device_settings_follow_check', `location_mode <> 'FOLLOW'`)
@Check(
  'device_settings_mode_check',
  `(location_mode IN ('SAVE', 'NORMAL', 'FOLLOW')) AND (temporary_mode IN ('SAVE', 'NORMAL', 'FOLLOW'))`,
)
@Check('device_settings_volume_check', 'volume BETWEEN 0 AND 100')
@Check('device_settings_ring_check', `ring_mode IN ('RING', 'VIBRATE', 'RING_AND_VIBRATE', 'SILENT')`)
@Check('device_settings_brightness_check', 'brightness BETWEEN 0 AND 100')
@Check('device_settings_power_check', 'num_nulls(power_on, power_off) IN (0, 2)')
@Check('device_settings_temporary_check', 'num_nulls(temporary_mode, temporary_until) IN (0, 2)')
export class DeviceSettingsEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'device_settings_pkey' })
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

  /** End of live tracking: until then the location mode is FOLLOW. Null if live tracking is not active. */
  @Column({ name: 'follow_until', type: 'bigint', nullable: true })
  followUntil: number | null;

  /** Per cent. This and the following columns are null until a guardian sets them. */
  @Column({ name: 'volume', type: 'smallint', nullable: true })
  volume: number | null;

  @Column({ name: 'ring_mode', type: 'text', nullable: true })
  ringMode: RingMode | null;

  /** Per cent. */
  @Column({ name: 'brightness', type: 'smallint', nullable: true })
  brightness: number | null;

  /** BCP 47 tag. */
  @Column({ name: 'language', type: 'text', nullable: true })
  language: string | null;

  /** Time of day (`HH:MM`) in the child's time zone at which the watch switches itself on. */
  @Column({ name: 'power_on', type: 'text', nullable: true })
  powerOn: string | null;

  @Column({ name: 'power_off', type: 'text', nullable: true })
  powerOff: string | null;

  @Column({ name: 'location_schedule', type: 'jsonb', default: [] })
  locationSchedule: LocationModeRange[];
}

/** An alarm of a child's watch. Times of day and dates are in the child's time zone. */
@Entity({ name: 'alarm_clock', schema: 'userctx' })
@Check('alarm_clock_hour_check', 'hour BETWEEN 0 AND 23')
@Check('alarm_clock_minute_check', 'minute BETWEEN 0 AND 59')
@Check(
  'alarm_clock_repeat_check',
  `(repeat IN ('ONCE', 'DAILY', 'CUSTOM')) AND ((repeat = 'CUSTOM') = (cardinality(weekdays) > 0))`,
)
@Index('alarm_clock_child', ['cid'])
export class AlarmClockEntity {
  @PrimaryColumn({ name: 'alarm_id', type: 'uuid', primaryKeyConstraintName: 'alarm_clock_pkey' })
  alarmId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'hour', type: 'smallint' })
  hour: number;

  @Column({ name: 'minute', type: 'smallint' })
  minute: number;

  @Column({ name: 'repeat', type: 'text' })
  repeat: AlarmRepeat;

  /** 1 Monday to 7 Sunday; empty unless `repeat` is CUSTOM. */
  @Column({ name: 'weekdays', type: 'smallint', array: true })
  weekdays: number[];

  /** Dates (`YYYY-MM-DD`) on which the alarm does not ring. */
  @Column({ name: 'skip_dates', type: 'text', array: true })
  skipDates: string[];

  @Column({ name: 'label', type: 'text' })
  label: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled: boolean;

  /** Unix milliseconds of the last change of the schedule. */
  @Column({ name: 'set_at', type: 'bigint' })
  setAt: number;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/**
 * A school time of a child: a time range in which the watch blocks all contacts that are not allowed in it. Times of
 * day (`HH:MM`) and dates (`YYYY-MM-DD`) are in the child's time zone.
 */
@Entity({ name: 'school_time', schema: 'userctx' })
@Check('school_time_not_empty_check', '(starts <> ends) AND ((cardinality(weekdays) + cardinality(extra_dates)) > 0)')
@Index('school_time_child', ['cid'])
export class SchoolTimeEntity {
  @PrimaryColumn({ name: 'school_time_id', type: 'uuid', primaryKeyConstraintName: 'school_time_pkey' })
  schoolTimeId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'label', type: 'text' })
  label: string;

  @Column({ name: 'starts', type: 'text' })
  start: string;

  /** End of the range, exclusive. A range whose end is before its start crosses midnight. */
  @Column({ name: 'ends', type: 'text' })
  end: string;

  /** 1 Monday to 7 Sunday; empty for a range with extra dates only. */
  @Column({ name: 'weekdays', type: 'smallint', array: true })
  weekdays: number[];

  /** Dates on which the range does not start although the weekday matches. */
  @Column({ name: 'holidays', type: 'text', array: true })
  holidays: string[];

  /** Dates on which the range starts although the weekday does not match. */
  @Column({ name: 'extra_dates', type: 'text', array: true })
  extraDates: string[];

  /** `refId` of contacts that may call during this range. */
  @Column({ name: 'allow_contacts', type: 'uuid', array: true })
  allowContacts: string[];

  @Column({ name: 'enabled', type: 'boolean' })
  enabled: boolean;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/** The day on which the school times of a child are suspended. At most one row per child. */
@Entity({ name: 'school_pause', schema: 'userctx' })
export class SchoolPauseEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'school_pause_pkey' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** Date (`YYYY-MM-DD`) in the child's time zone. */
  @Column({ name: 'paused_on', type: 'text' })
  pausedOn: string;
}

/**
 * A report that a child left school mode early. The watch and the time on its clock identify the report, so that a
 * repeated report is stored once. Times are Unix milliseconds.
 */
@Entity({ name: 'school_early_exit', schema: 'userctx' })
@Unique('school_early_exit_once_key', ['cid', 'did', 'time'])
@Index('school_early_exit_age', ['reportedAt'])
@Index('school_early_exit_list', { synchronize: false })
export class EarlyExitEntity {
  @PrimaryColumn({ name: 'exit_id', type: 'uuid', primaryKeyConstraintName: 'school_early_exit_pkey' })
  exitId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  /** Time of the exit on the watch's clock. */
  @Column({ name: 'time', type: 'bigint' })
  time: number;

  /** The school time that the child left; null if the watch did not report it. */
  @Column({ name: 'school_time_id', type: 'uuid', nullable: true })
  schoolTimeId: string | null;

  /** When the service received the report. */
  @Column({ name: 'reported_at', type: 'bigint' })
  reportedAt: number;
}

/**
 * Whether the watch of a child blocks calls from strangers (numbers that belong to no contact and are not allowed). A
 * child without a row has the default: the watch blocks them.
 */
@Entity({ name: 'stranger_rule', schema: 'userctx' })
export class StrangerRuleEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'stranger_rule_pkey' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled: boolean;
}

/** A phone number that may call a child although it belongs to no contact. Times are Unix milliseconds. */
@Entity({ name: 'allowed_number', schema: 'userctx' })
@Index('allowed_number_child', ['cid'])
@Index('allowed_number_expiry', ['expiresAt'])
export class AllowedNumberEntity {
  @PrimaryColumn({ name: 'allow_id', type: 'uuid', primaryKeyConstraintName: 'allowed_number_pkey' })
  allowId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** Country calling code, with `+`. */
  @Column({ name: 'area_code', type: 'text' })
  areaCode: string;

  @Column({ name: 'phone_number', type: 'text' })
  phoneNumber: string;

  /** True if the number is allowed for one call only. */
  @Column({ name: 'once', type: 'boolean' })
  once: boolean;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/**
 * A call from a number that belongs to no contact, which the watch reported as blocked or allowed. A unique constraint
 * on watch, time and number, defined in the migration, ensures that a repeated report is stored once. Times are Unix
 * milliseconds.
 */
@Entity({ name: 'blocked_call', schema: 'userctx' })
@Check('blocked_call_cause_check', `cause IN ('STRANGER', 'SCHOOL_TIME')`)
@Check('blocked_call_outcome_check', `outcome IN ('BLOCKED', 'ALLOWED')`)
@Index('blocked_call_age', ['reportedAt'])
@Index('blocked_call_list', { synchronize: false })
export class BlockedCallEntity {
  @PrimaryColumn({ name: 'call_id', type: 'uuid', primaryKeyConstraintName: 'blocked_call_pkey' })
  callId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  /** Time of the call on the watch's clock. */
  @Column({ name: 'time', type: 'bigint' })
  time: number;

  /** Country calling code of the caller. Null, like `phoneNumber`, if the caller withheld the number. */
  @Column({ name: 'area_code', type: 'text', nullable: true })
  areaCode: string | null;

  @Column({ name: 'phone_number', type: 'text', nullable: true })
  phoneNumber: string | null;

  @Column({ name: 'cause', type: 'text' })
  cause: BlockCause;

  /** When the service received the report. */
  @Column({ name: 'reported_at', type: 'bigint' })
  reportedAt: number;

  @Column({ name: 'outcome', type: 'text', default: 'BLOCKED' })
  outcome: CallOutcome;
}
