import { MAX_CONTACTS_PER_CHILD } from '../../families/contracts/contact.js';
import {
  BooleanField,
  UuidField,
  NestedField,
  NestedListField,
  NameField,
  ReferenceField,
  StringField,
  ReferenceListField,
  StringListField,
  DeviceIdQueryField,
  UnixMillisecondsField,
  UnvalidatedListField,
  WatchTimeField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { MAX_SCHOOL_TIMES_PER_CHILD, type SchoolRange } from '../contracts/school-time.js';
import { LocalDatesField, TimeOfDayField, WeekdaysField } from './schedule-fields.js';
import { SettingsChangeRequestDto, SettingsStatusDto, SettingsVersionDto } from './settings-status.dto.js';

const MAX_LABEL_LENGTH = 64;
const START_DESCRIPTION = "Start, in the child's time zone";
const END_DESCRIPTION = 'End (exclusive); if not after `start`, on the next day';
const HOLIDAYS_DESCRIPTION = 'Dates on which the school time does not start although the weekday matches';
const EXTRA_DATES_DESCRIPTION = 'Dates on which the school time starts although the weekday does not match';
const ALLOW_CONTACTS_DESCRIPTION =
  '`refId` of contacts that may call, in addition to contacts with `schoolAllowed`. An SOS is always allowed.';

export class SchoolTimeDto implements SchoolRange {
  @UuidField()
  schoolTimeId: string;

  @NameField({ minLength: 0, maxLength: MAX_LABEL_LENGTH, example: 'Morning lessons' })
  label: string;

  @TimeOfDayField({ description: START_DESCRIPTION })
  start: string;

  @TimeOfDayField({ description: END_DESCRIPTION, example: '12:00' })
  end: string;

  @WeekdaysField()
  weekdays: number[];

  @LocalDatesField({ description: HOLIDAYS_DESCRIPTION })
  holidays: string[];

  @LocalDatesField({ description: EXTRA_DATES_DESCRIPTION })
  extraDates: string[];

  @StringListField({ maxItems: MAX_CONTACTS_PER_CHILD, description: ALLOW_CONTACTS_DESCRIPTION })
  allowContacts: string[];

  @BooleanField()
  enabled: boolean;
}

export class SchoolTimesDto extends SettingsStatusDto {
  @NestedListField(() => SchoolTimeDto, { maxItems: MAX_SCHOOL_TIMES_PER_CHILD })
  items: SchoolTimeDto[];

  @StringField({
    nullable: true,
    description: "Today's date if school time is paused today, otherwise null",
    example: '2026-10-01',
  })
  pausedOn: string | null;

  @UuidField({
    nullable: true,
    description: '`schoolTimeId` of the currently active school time; null if none is active',
  })
  current: string | null;
}

export class SchoolTimeChangedDto extends SettingsVersionDto {
  @NestedField(() => SchoolTimeDto)
  schoolTime: SchoolTimeDto;
}

export class CreateSchoolTimeDto extends SettingsChangeRequestDto {
  @NameField({ optional: true, minLength: 0, maxLength: MAX_LABEL_LENGTH, example: 'Morning lessons' })
  label?: string;

  @TimeOfDayField({ description: START_DESCRIPTION })
  start: string;

  @TimeOfDayField({ description: END_DESCRIPTION, example: '12:00' })
  end: string;

  @WeekdaysField({ optional: true, description: 'At least one weekday or one of `extraDates` is required.' })
  weekdays?: number[];

  @LocalDatesField({ optional: true, description: HOLIDAYS_DESCRIPTION })
  holidays?: string[];

  @LocalDatesField({ optional: true, description: EXTRA_DATES_DESCRIPTION })
  extraDates?: string[];

  @ReferenceListField({
    optional: true,
    maxItems: MAX_CONTACTS_PER_CHILD,
    maxLength: 128,
    description: ALLOW_CONTACTS_DESCRIPTION,
  })
  allowContacts?: string[];

  @BooleanField({ optional: true, description: 'True by default' })
  enabled?: boolean;
}

export class SchoolTimeReferenceDto extends SettingsChangeRequestDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  schoolTimeId: string;
}

/** Omitted fields are unchanged. */
export class UpdateSchoolTimeDto extends SchoolTimeReferenceDto {
  @NameField({ optional: true, nullMeans: '', minLength: 0, maxLength: MAX_LABEL_LENGTH, example: 'Morning lessons' })
  label?: string;

  @TimeOfDayField({ optional: true, description: START_DESCRIPTION })
  start?: string;

  @TimeOfDayField({ optional: true, description: END_DESCRIPTION, example: '12:00' })
  end?: string;

  @WeekdaysField({
    optional: true,
    nullMeans: [],
    description: 'At least one weekday or one of `extraDates` is required.',
  })
  weekdays?: number[];

  @LocalDatesField({ optional: true, nullMeans: [], description: HOLIDAYS_DESCRIPTION })
  holidays?: string[];

  @LocalDatesField({ optional: true, nullMeans: [], description: EXTRA_DATES_DESCRIPTION })
  extraDates?: string[];

  @ReferenceListField({
    optional: true,
    nullMeans: [],
    maxItems: MAX_CONTACTS_PER_CHILD,
    maxLength: 128,
    description: ALLOW_CONTACTS_DESCRIPTION,
  })
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
    description: "Today's date in the child's time zone if school time is now paused, otherwise null",
    example: '2026-10-01',
  })
  pausedOn: string | null;
}

const MAX_REPORTED_EXITS = 100;

/** The child ended school mode on the watch before the end of the school time. */
export class EarlyExitItemDto {
  @WatchTimeField({ description: "Time on the watch's clock, since 2015" })
  time: number;

  @ReferenceField({ optional: true, description: 'The school time that the child left' })
  schoolTimeId?: string;
}

/** Each exit is validated separately, so that an invalid one does not reject the others. */
export class EarlyExitReportDto {
  @UnvalidatedListField(() => EarlyExitItemDto, { minItems: 1, maxItems: MAX_REPORTED_EXITS })
  exits: unknown[];
}

export class EarlyExitDto {
  @UuidField()
  exitId: string;

  @UnixMillisecondsField()
  time: number;

  @StringField({ nullable: true })
  schoolTimeId: string | null;
}

export class EarlyExitQueryDto extends PageQueryDto {
  @DeviceIdQueryField()
  did: number;
}

/** One page of early exits, newest first. */
export class EarlyExitListDto {
  @NestedListField(() => EarlyExitDto, { maxItems: 200 })
  items: EarlyExitDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}
