import {
  BooleanField,
  UuidField,
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  NameField,
  ReferenceField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import {
  MAX_ALARM_CLOCKS_PER_CHILD,
  ALARM_REPEAT,
  type AlarmRepeat,
  type AlarmSchedule,
} from '../contracts/alarm-clock.js';
import { LocalDatesField, WeekdaysField } from './schedule-fields.js';
import { SettingsChangeRequestDto, SettingsStatusDto, SettingsVersionDto } from './settings-status.dto.js';

const MAX_LABEL_LENGTH = 64;
const REPEAT_DESCRIPTION =
  'ONCE: the alarm rings only at the first matching time after it was set; CUSTOM: on `weekdays`';
const WEEKDAYS_DESCRIPTION = 'At least one for CUSTOM, otherwise empty.';
const SKIP_DATES_DESCRIPTION = "Dates in the child's time zone on which the alarm does not ring";

export class AlarmClockDto implements AlarmSchedule {
  @UuidField()
  alarmId: string;

  @IntegerField({ min: 0, max: 23, example: 7 })
  hour: number;

  @IntegerField({ min: 0, max: 59, example: 30 })
  minute: number;

  @EnumField(ALARM_REPEAT, { description: REPEAT_DESCRIPTION })
  repeat: AlarmRepeat;

  @WeekdaysField()
  weekdays: number[];

  @LocalDatesField({ description: SKIP_DATES_DESCRIPTION })
  skipDates: string[];

  @NameField({ minLength: 0, maxLength: MAX_LABEL_LENGTH, example: 'School' })
  label: string;

  @BooleanField()
  enabled: boolean;

  @UnixMillisecondsField({
    description:
      'Time of the last change of the schedule; an alarm with ONCE rings at the first matching time after it',
  })
  setAt: number;

  @UnixMillisecondsField({
    nullable: true,
    description: 'When the alarm rings next; null if it does not ring any more',
  })
  nextRingAt: number | null;
}

export class AlarmClocksDto extends SettingsStatusDto {
  @NestedListField(() => AlarmClockDto, { maxItems: MAX_ALARM_CLOCKS_PER_CHILD })
  items: AlarmClockDto[];
}

export class AlarmClockChangedDto extends SettingsVersionDto {
  @NestedField(() => AlarmClockDto)
  alarm: AlarmClockDto;
}

export class CreateAlarmClockDto extends SettingsChangeRequestDto {
  @IntegerField({ min: 0, max: 23, example: 7 })
  hour: number;

  @IntegerField({ min: 0, max: 59, example: 30 })
  minute: number;

  @EnumField(ALARM_REPEAT, { optional: true, description: `${REPEAT_DESCRIPTION}. ONCE by default.` })
  repeat?: AlarmRepeat;

  @WeekdaysField({ optional: true, description: WEEKDAYS_DESCRIPTION })
  weekdays?: number[];

  @LocalDatesField({ optional: true, description: SKIP_DATES_DESCRIPTION })
  skipDates?: string[];

  @NameField({ optional: true, minLength: 0, maxLength: MAX_LABEL_LENGTH, example: 'School' })
  label?: string;

  @BooleanField({ optional: true, description: 'True by default' })
  enabled?: boolean;
}

export class AlarmClockReferenceDto extends SettingsChangeRequestDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  alarmId: string;
}

/** Omitted fields are unchanged. */
export class UpdateAlarmClockDto extends AlarmClockReferenceDto {
  @IntegerField({ optional: true, min: 0, max: 23, example: 7 })
  hour?: number;

  @IntegerField({ optional: true, min: 0, max: 59, example: 30 })
  minute?: number;

  @EnumField(ALARM_REPEAT, { optional: true, description: REPEAT_DESCRIPTION })
  repeat?: AlarmRepeat;

  @WeekdaysField({ optional: true, nullMeans: [], description: WEEKDAYS_DESCRIPTION })
  weekdays?: number[];

  @LocalDatesField({ optional: true, nullMeans: [], description: SKIP_DATES_DESCRIPTION })
  skipDates?: string[];

  @NameField({ optional: true, nullMeans: '', minLength: 0, maxLength: MAX_LABEL_LENGTH, example: 'School' })
  label?: string;

  @BooleanField({ optional: true })
  enabled?: boolean;
}
