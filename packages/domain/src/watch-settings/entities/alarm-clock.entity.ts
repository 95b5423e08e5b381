import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AlarmRepeat } from '../contracts/alarm-clock.js';

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
  @PrimaryColumn({ name: 'alarm_id', type: 'uuid', primaryKeyConstraintName: 'alarm_clock_pk' })
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
