import { MAX_CONTACTS_PER_CHILD } from '../../contacts/contracts/contact.js';
import {
  BooleanField,
  UuidField,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
  StringListField,
} from '../../kernel/dto/fields.js';
import { MAX_SCHOOL_TIMES_PER_CHILD } from '../contracts/school-time.js';
import type { SchoolTime } from '../contracts/school-time.js';
import { LocalDatesField, TimeOfDayField, WeekdaysField } from './schedule-fields.js';
import { SettingsChangeRequestDto, SettingsStatusDto, SettingsVersionDto } from './settings-status.dto.js';

const MAX_LABEL = 64;
const START = "In the child's time zone";
const END = 'The first minute after it; at or before `start` it is on the next day';
const HOLIDAYS = 'Days on which it does not start although the weekday fits';
const EXTRA_DATES = 'Days on which it starts although the weekday does not fit';
const ALLOW_CONTACTS = '`refId` of contacts that may call, beside those with `schoolAllowed`; an SOS always may';

export class SchoolTimeDto implements SchoolTime {
  @UuidField()
  schoolTimeId: string;

  @StringField({ maxLength: MAX_LABEL, example: 'Morning lessons' })
  label: string;

  @TimeOfDayField({ description: START })
  start: string;

  @TimeOfDayField({ description: END, example: '12:00' })
  end: string;

  @WeekdaysField()
  weekdays: number[];

  @LocalDatesField({ description: HOLIDAYS })
  holidays: string[];

  @LocalDatesField({ description: EXTRA_DATES })
  extraDates: string[];

  @StringListField({ maxItems: MAX_CONTACTS_PER_CHILD, description: ALLOW_CONTACTS })
  allowContacts: string[];

  @BooleanField()
  enabled: boolean;
}

export class SchoolTimesDto extends SettingsStatusDto {
  @NestedListField(() => SchoolTimeDto, { maxItems: MAX_SCHOOL_TIMES_PER_CHILD })
  items: SchoolTimeDto[];

  @StringField({ nullable: true, description: 'The day without school time, while it is today', example: '2026-10-01' })
  pausedOn: string | null;

  @UuidField({ nullable: true, description: 'The school time that holds now' })
  current: string | null;
}

export class SchoolTimeChangedDto extends SettingsVersionDto {
  @NestedField(() => SchoolTimeDto)
  schoolTime: SchoolTimeDto;
}

export class CreateSchoolTimeDto extends SettingsChangeRequestDto {
  @StringField({ optional: true, maxLength: MAX_LABEL, example: 'Morning lessons' })
  label?: string;

  @TimeOfDayField({ description: START })
  start: string;

  @TimeOfDayField({ description: END, example: '12:00' })
  end: string;

  @WeekdaysField({ optional: true, description: 'At least one, or one of `extraDates`.' })
  weekdays?: number[];

  @LocalDatesField({ optional: true, description: HOLIDAYS })
  holidays?: string[];

  @LocalDatesField({ optional: true, description: EXTRA_DATES })
  extraDates?: string[];

  @StringListField({ optional: true, maxItems: MAX_CONTACTS_PER_CHILD, maxLength: 128, description: ALLOW_CONTACTS })
  allowContacts?: string[];

  @BooleanField({ optional: true, description: 'True by default' })
  enabled?: boolean;
}

export class SchoolTimeReferenceDto extends SettingsChangeRequestDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  schoolTimeId: string;
}

/** What is present changes. */
export class UpdateSchoolTimeDto extends SchoolTimeReferenceDto {
  @StringField({ optional: true, maxLength: MAX_LABEL, example: 'Morning lessons' })
  label?: string;

  @TimeOfDayField({ optional: true, description: START })
  start?: string;

  @TimeOfDayField({ optional: true, description: END, example: '12:00' })
  end?: string;

  @WeekdaysField({ optional: true, description: 'At least one, or one of `extraDates`.' })
  weekdays?: number[];

  @LocalDatesField({ optional: true, description: HOLIDAYS })
  holidays?: string[];

  @LocalDatesField({ optional: true, description: EXTRA_DATES })
  extraDates?: string[];

  @StringListField({ optional: true, maxItems: MAX_CONTACTS_PER_CHILD, maxLength: 128, description: ALLOW_CONTACTS })
  allowContacts?: string[];

  @BooleanField({ optional: true })
  enabled?: boolean;
}

export class PauseSchoolTodayDto extends SettingsChangeRequestDto {
  @BooleanField({ optional: true, description: 'True by default; false ends the pause' })
  paused?: boolean;
}

export class SchoolPausedDto extends SettingsVersionDto {
  @StringField({
    nullable: true,
    description: "Today in the child's time zone, null without a pause",
    example: '2026-10-01',
  })
  pausedOn: string | null;
}
