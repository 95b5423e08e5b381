import { applyDecorators } from '@nestjs/common';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import {
  BooleanField,
  IntegerField,
  EnumField,
  StringField,
  UnixMillisecondsField,
  NestedField,
  NestedListField,
  type FieldOptions,
} from '../../kernel/dto/fields.js';
import {
  LIVE_TRACKING_DEFAULT_TTL_SECONDS,
  LOCATION_MODE,
  LOCATION_MODE_TTL_SECONDS,
  MAX_LOCATION_RANGES,
  MAX_LOST_MESSAGE_LENGTH,
  PERMANENT_LOCATION_MODE,
  RING_MODE,
  type LocationMode,
  type LocationModeRange,
  type PermanentLocationMode,
  type RingMode,
} from '../contracts/device-settings.js';
import { SETTINGS_RESOURCE } from '../contracts/settings-state.js';
import { AlarmClocksDto } from './alarm-clock.dto.js';
import { TimeOfDayField, WeekdaysField } from './schedule-fields.js';
import { SchoolTimesDto } from './school-time.dto.js';
import { SettingsChangeRequestDto, SettingsStatusDto } from './settings-status.dto.js';
import { StrangerRuleDto } from './stranger.dto.js';

const LOST_MESSAGE_DESCRIPTION = 'Text that a lost watch shows to its finder';

/** Rejects a value that is the same as the value of another field. */
function DiffersFrom(other: string): PropertyDecorator {
  return ValidateBy({
    name: 'differs',
    constraints: [other],
    validator: {
      validate: (value, args) => value !== ((args as ValidationArguments).object as Record<string, unknown>)[other],
      defaultMessage: () => `$property must differ from ${other}`,
    },
  });
}

/** Times of day at which a watch switches itself on and off each day. */
export class PowerScheduleDto {
  @TimeOfDayField({ example: '07:00', description: "When the watch switches itself on, in the child's time zone" })
  on: string;

  @TimeOfDayField({
    example: '21:30',
    description: 'When the watch switches itself off. A watch that is off cannot raise an SOS.',
  })
  @DiffersFrom('on')
  off: string;
}

export class LocationModeRangeDto implements LocationModeRange {
  @TimeOfDayField({ description: "Start, in the child's time zone" })
  start: string;

  @TimeOfDayField({ example: '16:00', description: 'End (exclusive); if before `start`, on the next day' })
  @DiffersFrom('start')
  end: string;

  @WeekdaysField({ description: 'Days on which the range starts.' })
  weekdays: number[];

  @EnumField(PERMANENT_LOCATION_MODE, { example: 'SAVE' })
  mode: PermanentLocationMode;
}

function VolumeField(options: FieldOptions): PropertyDecorator {
  return IntegerField({ min: 0, max: 100, example: 60, description: 'Volume, per cent', ...options });
}

function RingModeField(options: FieldOptions): PropertyDecorator {
  return EnumField(RING_MODE, { description: 'How the watch announces calls and messages', ...options });
}

function BrightnessField(options: FieldOptions): PropertyDecorator {
  return IntegerField({ min: 0, max: 100, example: 80, description: 'Brightness of the screen, per cent', ...options });
}

/** BCP 47 tag of a language in its canonical form. */
function LanguageField(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    StringField({ maxLength: 35, example: 'zh-CN', description: 'Language of the menus (BCP 47)', ...options }),
    ValidateBy({
      name: 'isLanguage',
      validator: {
        validate: (value) => typeof value !== 'string' || isLanguage(value),
        defaultMessage: () => '$property must be the tag of a language, such as zh-CN',
      },
    }),
  );
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag)[0] === tag;
  } catch {
    return false;
  }
}

function PowerScheduleField(options: FieldOptions): PropertyDecorator {
  const description = 'When the watch switches itself on and off each day';
  return NestedField(() => PowerScheduleDto, { description, ...options });
}

function LocationScheduleField(options: FieldOptions): PropertyDecorator {
  return NestedListField(() => LocationModeRangeDto, {
    maxItems: MAX_LOCATION_RANGES,
    description:
      'Ranges of the week in which the watch uses another location mode than its permanent one; of overlapping ranges, ' +
      'the first one. A temporary mode and live tracking replace the schedule.',
    ...options,
  });
}

/** In a field that is null, guardians have set nothing, and the watch uses its own default. */
export class DeviceSettingsDto extends SettingsStatusDto {
  @EnumField(LOCATION_MODE, {
    description: 'How often the watch currently determines its location, outside of the ranges of `locationSchedule`',
  })
  locationMode: LocationMode;

  @UnixMillisecondsField({ nullable: true, description: 'When `locationMode` ends; null if it is permanent' })
  locationModeUntil: number | null;

  @EnumField(LOCATION_MODE, {
    nullable: true,
    description: 'The location mode after `locationModeUntil`; null if `locationMode` is permanent',
  })
  locationModeAfter: LocationMode | null;

  @BooleanField({ description: 'True if a guardian reported the watch lost; it then shows only the message' })
  lost: boolean;

  @StringField({ nullable: true, maxLength: MAX_LOST_MESSAGE_LENGTH, description: LOST_MESSAGE_DESCRIPTION })
  lostMessage: string | null;

  @VolumeField({ nullable: true })
  volume: number | null;

  @RingModeField({ nullable: true })
  ringMode: RingMode | null;

  @BrightnessField({ nullable: true })
  brightness: number | null;

  @LanguageField({ nullable: true })
  language: string | null;

  @PowerScheduleField({ nullable: true })
  powerSchedule: PowerScheduleDto | null;

  @LocationScheduleField({})
  locationSchedule: LocationModeRangeDto[];
}

/** Changes settings of a watch. `null` clears a field: the watch then uses its own default. */
export class UpdateDeviceSettingsDto extends SettingsChangeRequestDto {
  @VolumeField({ optional: true, nullable: true })
  volume?: number | null;

  @RingModeField({ optional: true, nullable: true })
  ringMode?: RingMode | null;

  @BrightnessField({ optional: true, nullable: true })
  brightness?: number | null;

  @LanguageField({ optional: true, nullable: true })
  language?: string | null;

  @PowerScheduleField({ optional: true, nullable: true })
  powerSchedule?: PowerScheduleDto | null;

  @LocationScheduleField({ optional: true, nullMeans: [] })
  locationSchedule?: LocationModeRangeDto[];
}

export class UpdateLocationModeDto extends SettingsChangeRequestDto {
  @EnumField(LOCATION_MODE, { example: 'FOLLOW' })
  mode: LocationMode;

  @IntegerField({
    optional: true,
    min: LOCATION_MODE_TTL_SECONDS.MIN,
    max: LOCATION_MODE_TTL_SECONDS.MAX,
    example: 900,
    description:
      'Seconds after which the permanent mode applies again. If omitted, this mode becomes the permanent one, ' +
      `except FOLLOW, which ends after ${LIVE_TRACKING_DEFAULT_TTL_SECONDS} seconds.`,
  })
  expiresIn?: number;
}

export class UpdateLostModeDto extends SettingsChangeRequestDto {
  @BooleanField({ description: 'True: the watch is lost; false: the watch was found, which also deletes the message' })
  lost: boolean;

  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_LOST_MESSAGE_LENGTH,
    description: LOST_MESSAGE_DESCRIPTION,
  })
  lostMessage?: string | null;
}

const RESOURCE_PATTERN = Object.values(SETTINGS_RESOURCE).join('|');

export class WatchSettingsQueryDto {
  @StringField({
    optional: true,
    maxLength: 128,
    pattern: new RegExp(`^(${RESOURCE_PATTERN})(,(${RESOURCE_PATTERN}))*$`),
    description: 'Comma-separated list of settings resources; if omitted, all',
    example: 'ALARM_CLOCK,SCHOOL_DISABLE',
  })
  resources?: string;
}

/** The requested settings resources. Each contains its version, which the watch acknowledges after applying it. */
export class WatchSettingsDto {
  @StringField({ example: 'Asia/Shanghai', description: 'IANA time zone of all schedules' })
  timeZone: string;

  @NestedField(() => AlarmClocksDto, { optional: true })
  ALARM_CLOCK?: AlarmClocksDto;

  @NestedField(() => SchoolTimesDto, { optional: true })
  SCHOOL_DISABLE?: SchoolTimesDto;

  @NestedField(() => StrangerRuleDto, { optional: true })
  REJECT_STRANGER?: StrangerRuleDto;

  @NestedField(() => DeviceSettingsDto, { optional: true })
  DEVICE?: DeviceSettingsDto;
}
