import { Flag, Integer, OneOf, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import {
  FOLLOW_LIFETIME,
  LOCATION_MODE,
  LOCATION_MODE_LIFETIME,
  MAX_LOST_MESSAGE,
} from '../contracts/device-settings.js';
import type { LocationMode } from '../contracts/device-settings.js';
import { SettingsChangeRequestDto, SettingsStatusDto } from './settings-status.dto.js';

const MESSAGE = 'What a lost watch shows to whoever finds it';

export class DeviceSettingsDto extends SettingsStatusDto {
  @OneOf(LOCATION_MODE, { description: 'How often the watch looks for its position, now' })
  locationMode: LocationMode;

  @UnixMilliseconds({ nullable: true, description: 'When this mode ends by itself; null for never' })
  locationModeUntil: number | null;

  @OneOf(LOCATION_MODE, { nullable: true, description: 'The mode after that; null where it does not end' })
  locationModeAfter: LocationMode | null;

  @Flag({ description: 'The watch is lost: it shows the message and nothing else' })
  lost: boolean;

  @Text({ nullable: true, maxLength: MAX_LOST_MESSAGE, description: MESSAGE })
  lostMessage: string | null;
}

export class UpdateLocationModeDto extends SettingsChangeRequestDto {
  @OneOf(LOCATION_MODE, { example: 'FOLLOW' })
  mode: LocationMode;

  @Integer({
    ...{ optional: true, ...{ min: LOCATION_MODE_LIFETIME.MIN, max: LOCATION_MODE_LIFETIME.MAX }, example: 900 },
    description: `Seconds after which the lasting mode counts again; absent makes this the lasting mode, except FOLLOW, which ends after ${FOLLOW_LIFETIME}`,
  })
  expiresIn?: number;
}

export class UpdateLostModeDto extends SettingsChangeRequestDto {
  @Flag({ description: 'False: it was found, and the message is forgotten' })
  lost: boolean;

  @Text({ optional: true, nullable: true, minLength: 1, maxLength: MAX_LOST_MESSAGE, description: MESSAGE })
  lostMessage?: string | null;
}
