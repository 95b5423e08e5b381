import {
  Flag,
  Id,
  Integer,
  Nested,
  NestedList,
  OneOf,
  Reference,
  Text,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import { ALARM_CLOCK_LIMIT, ALARM_REPEAT } from '../contracts/alarm-clock.js';
import type { AlarmClock, AlarmRepeat } from '../contracts/alarm-clock.js';
import { LocalDates, Weekdays } from './schedule-fields.js';
import { SettingsChangeRequestDto, SettingsStatusDto, SettingsVersionDto } from './settings-status.dto.js';

const MAX_LABEL = 64;
const REPEAT = 'ONCE: the first time that comes after it was set';
const WEEKDAYS = 'CUSTOM needs at least one, the others have none.';
const SKIPPED = "Days of the child's time zone on which it does not ring";

export class AlarmClockDto implements AlarmClock {
  @Id()
  alarmId: string;

  @Integer({ min: 0, max: 23, example: 7 })
  hour: number;

  @Integer({ min: 0, max: 59, example: 30 })
  minute: number;

  @OneOf(ALARM_REPEAT, { description: REPEAT })
  repeat: AlarmRepeat;

  @Weekdays()
  weekdays: number[];

  @LocalDates({ description: SKIPPED })
  skipDates: string[];

  @Text({ maxLength: MAX_LABEL, example: 'School' })
  label: string;

  @Flag()
  enabled: boolean;

  @UnixMilliseconds({ description: 'When its schedule was last changed; ONCE counts from here' })
  setAt: number;

  @UnixMilliseconds({ nullable: true, description: 'When it rings next, null for never' })
  nextRingAt: number | null;
}

export class AlarmClocksDto extends SettingsStatusDto {
  @NestedList(() => AlarmClockDto, { maxItems: ALARM_CLOCK_LIMIT })
  items: AlarmClockDto[];
}

export class AlarmClockChangedDto extends SettingsVersionDto {
  @Nested(() => AlarmClockDto)
  alarm: AlarmClockDto;
}

export class CreateAlarmClockDto extends SettingsChangeRequestDto {
  @Integer({ min: 0, max: 23, example: 7 })
  hour: number;

  @Integer({ min: 0, max: 59, example: 30 })
  minute: number;

  @OneOf(ALARM_REPEAT, { optional: true, description: `${REPEAT}, and the default` })
  repeat?: AlarmRepeat;

  @Weekdays({ optional: true, description: WEEKDAYS })
  weekdays?: number[];

  @LocalDates({ optional: true, description: SKIPPED })
  skipDates?: string[];

  @Text({ optional: true, maxLength: MAX_LABEL, example: 'School' })
  label?: string;

  @Flag({ optional: true, description: 'True by default' })
  enabled?: boolean;
}

export class AlarmClockReferenceDto extends SettingsChangeRequestDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  alarmId: string;
}

/** What is present changes. */
export class UpdateAlarmClockDto extends AlarmClockReferenceDto {
  @Integer({ optional: true, min: 0, max: 23, example: 7 })
  hour?: number;

  @Integer({ optional: true, min: 0, max: 59, example: 30 })
  minute?: number;

  @OneOf(ALARM_REPEAT, { optional: true, description: REPEAT })
  repeat?: AlarmRepeat;

  @Weekdays({ optional: true, description: WEEKDAYS })
  weekdays?: number[];

  @LocalDates({ optional: true, description: SKIPPED })
  skipDates?: string[];

  @Text({ optional: true, maxLength: MAX_LABEL, example: 'School' })
  label?: string;

  @Flag({ optional: true })
  enabled?: boolean;
}
