import { CONTACT_LIMIT } from '../../contacts/contracts/contact.js';
import { Flag, Id, Nested, NestedList, Reference, Text, TextList } from '../../kernel/dto/fields.js';
import { SCHOOL_TIME_LIMIT } from '../contracts/school-time.js';
import type { SchoolTime } from '../contracts/school-time.js';
import { LocalDates, TimeOfDay, Weekdays } from './schedule-fields.js';
import { SettingsChangeRequestDto, SettingsStatusDto, SettingsVersionDto } from './settings-status.dto.js';

const MAX_LABEL = 64;
const START = "In the child's time zone";
const END = 'The first minute after it; at or before `start` it is on the next day';
const HOLIDAYS = 'Days on which it does not start although the weekday fits';
const EXTRA_DATES = 'Days on which it starts although the weekday does not fit';
const ALLOW_CONTACTS = '`refId` of contacts that may call, beside those with `schoolAllowed`; an SOS always may';

export class SchoolTimeDto implements SchoolTime {
  @Id()
  schoolTimeId: string;

  @Text({ maxLength: MAX_LABEL, example: 'Morning lessons' })
  label: string;

  @TimeOfDay({ description: START })
  start: string;

  @TimeOfDay({ description: END, example: '12:00' })
  end: string;

  @Weekdays()
  weekdays: number[];

  @LocalDates({ description: HOLIDAYS })
  holidays: string[];

  @LocalDates({ description: EXTRA_DATES })
  extraDates: string[];

  @TextList({ maxItems: CONTACT_LIMIT, description: ALLOW_CONTACTS })
  allowContacts: string[];

  @Flag()
  enabled: boolean;
}

export class SchoolTimesDto extends SettingsStatusDto {
  @NestedList(() => SchoolTimeDto, { maxItems: SCHOOL_TIME_LIMIT })
  items: SchoolTimeDto[];

  @Text({ nullable: true, description: 'The day without school time, while it is today', example: '2026-10-01' })
  pausedOn: string | null;

  @Id({ nullable: true, description: 'The school time that holds now' })
  current: string | null;
}

export class SchoolTimeChangedDto extends SettingsVersionDto {
  @Nested(() => SchoolTimeDto)
  schoolTime: SchoolTimeDto;
}

export class CreateSchoolTimeDto extends SettingsChangeRequestDto {
  @Text({ optional: true, maxLength: MAX_LABEL, example: 'Morning lessons' })
  label?: string;

  @TimeOfDay({ description: START })
  start: string;

  @TimeOfDay({ description: END, example: '12:00' })
  end: string;

  @Weekdays({ optional: true, description: 'At least one, or one of `extraDates`.' })
  weekdays?: number[];

  @LocalDates({ optional: true, description: HOLIDAYS })
  holidays?: string[];

  @LocalDates({ optional: true, description: EXTRA_DATES })
  extraDates?: string[];

  @TextList({ optional: true, maxItems: CONTACT_LIMIT, maxLength: 128, description: ALLOW_CONTACTS })
  allowContacts?: string[];

  @Flag({ optional: true, description: 'True by default' })
  enabled?: boolean;
}

export class SchoolTimeReferenceDto extends SettingsChangeRequestDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  schoolTimeId: string;
}

/** What is present changes. */
export class UpdateSchoolTimeDto extends SchoolTimeReferenceDto {
  @Text({ optional: true, maxLength: MAX_LABEL, example: 'Morning lessons' })
  label?: string;

  @TimeOfDay({ optional: true, description: START })
  start?: string;

  @TimeOfDay({ optional: true, description: END, example: '12:00' })
  end?: string;

  @Weekdays({ optional: true, description: 'At least one, or one of `extraDates`.' })
  weekdays?: number[];

  @LocalDates({ optional: true, description: HOLIDAYS })
  holidays?: string[];

  @LocalDates({ optional: true, description: EXTRA_DATES })
  extraDates?: string[];

  @TextList({ optional: true, maxItems: CONTACT_LIMIT, maxLength: 128, description: ALLOW_CONTACTS })
  allowContacts?: string[];

  @Flag({ optional: true })
  enabled?: boolean;
}

export class PauseSchoolTodayDto extends SettingsChangeRequestDto {
  @Flag({ optional: true, description: 'True by default; false ends the pause' })
  paused?: boolean;
}

export class SchoolPausedDto extends SettingsVersionDto {
  @Text({ nullable: true, description: "Today in the child's time zone, null without a pause", example: '2026-10-01' })
  pausedOn: string | null;
}
