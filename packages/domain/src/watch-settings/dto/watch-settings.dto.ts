import {
  BooleanField,
  IntegerField,
  EnumField,
  StringField,
  UnixMillisecondsField,
  NestedField,
} from '../../kernel/dto/fields.js';
import {
  LIVE_TRACKING_DEFAULT_TTL_SECONDS,
  LOCATION_MODE,
  LOCATION_MODE_TTL_SECONDS,
  MAX_LOST_MESSAGE_LENGTH,
} from '../contracts/device-settings.js';
import type { LocationMode } from '../contracts/device-settings.js';
import { SETTINGS_RESOURCE } from '../contracts/settings-state.js';
import { AlarmClocksDto } from './alarm-clock.dto.js';
import { SchoolTimesDto } from './school-time.dto.js';
import { SettingsChangeRequestDto, SettingsStatusDto } from './settings-status.dto.js';
import { StrangerRuleDto } from './stranger.dto.js';

const LOST_MESSAGE_DESCRIPTION = 'Text that a lost watch shows to its finder';

export class DeviceSettingsDto extends SettingsStatusDto {
  @EnumField(LOCATION_MODE, { description: 'How often the watch currently determines its location' })
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
