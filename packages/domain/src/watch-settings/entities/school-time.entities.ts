import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * A time range in which the watch of a child blocks contacts without permission. Times of day (`HH:MM`) and dates
 * (`YYYY-MM-DD`) are in the child's time zone.
 */
@Entity({ name: 'school_time', schema: 'userctx' })
@Check('school_time_not_empty', '(starts <> ends) AND ((cardinality(weekdays) + cardinality(extra_dates)) > 0)')
@Index('school_time_child', ['cid'])
export class SchoolTimeEntity {
  @PrimaryColumn({ name: 'school_time_id', type: 'uuid', primaryKeyConstraintName: 'school_time_pk' })
  schoolTimeId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'label', type: 'text' })
  label: string;

  @Column({ name: 'starts', type: 'text' })
  start: string;

  /** Exclusive. A range whose end is before its start crosses midnight. */
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
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'school_pause_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** `YYYY-MM-DD` in the child's time zone. */
  @Column({ name: 'paused_on', type: 'text' })
  pausedOn: string;
}

/**
 * A report that a child left school mode early. The watch and the time on its clock identify the report, so that a
 * repeated report is stored once. Times are Unix milliseconds.
 */
@Entity({ name: 'school_early_exit', schema: 'userctx' })
@Unique('school_early_exit_once', ['cid', 'did', 'time'])
@Index('school_early_exit_age', ['reportedAt'])
@Index('school_early_exit_list', { synchronize: false })
export class EarlyExitEntity {
  @PrimaryColumn({ name: 'exit_id', type: 'uuid', primaryKeyConstraintName: 'school_early_exit_pk' })
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
