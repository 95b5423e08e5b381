import { NestedField, StringField } from '../../kernel/dto/fields.js';
import { SETTINGS_RESOURCE } from '../contracts/watch-settings.events.js';
import { AlarmClocksDto } from './alarm-clock.dto.js';
import { DeviceSettingsDto } from './device-settings.dto.js';
import { SchoolTimesDto } from './school-time.dto.js';
import { StrangerRuleDto } from './stranger.dto.js';

const RESOURCE_PATTERN = Object.values(SETTINGS_RESOURCE).join('|');

export class WatchSettingsQueryDto {
  @StringField({
    optional: true,
    maxLength: 128,
    pattern: new RegExp(`^(${RESOURCE_PATTERN})(,(${RESOURCE_PATTERN}))*$`),
    description: 'Comma-separated list of resources; all if omitted',
    example: 'ALARM_CLOCK,SCHOOL_DISABLE',
  })
  resources?: string;
}

/** The requested resources, each with the version that the watch acknowledges after applying it. */
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
