import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'alarm_clock', schema: 'userctx' })
@Check('alarm_clock_hour_check', '(hour >= 0) AND (hour <= 23)')
@Check('alarm_clock_minute_check', '(minute >= 0) AND (minute <= 59)')
@Check(
  'alarm_clock_repeat_check',
  `(repeat = ANY (ARRAY['ONCE'::text, 'DAILY'::text, 'CUSTOM'::text])) AND ((repeat = 'CUSTOM'::text) = (cardinality(weekdays) > 0))`,
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
  repeat: string;

  @Column({ name: 'weekdays', type: 'smallint', array: true })
  weekdays: number[];

  @Column({ name: 'skip_dates', type: 'text', array: true })
  skipDates: string[];

  @Column({ name: 'label', type: 'text' })
  label: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled: boolean;

  @Column({ name: 'set_at', type: 'bigint' })
  setAt: number;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}
