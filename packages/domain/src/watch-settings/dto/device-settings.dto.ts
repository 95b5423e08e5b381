import { BooleanField, IntegerField, EnumField, StringField, UnixMillisecondsField } from '../../kernel/dto/fields.js';
import {
  LIVE_TRACKING_DEFAULT_TTL_SECONDS,
  LOCATION_MODE,
  LOCATION_MODE_TTL_SECONDS,
  MAX_LOST_MESSAGE_LENGTH,
} from '../contracts/device-settings.js';
import type { LocationMode } from '../contracts/device-settings.js';
import { SettingsChangeRequestDto, SettingsStatusDto } from './settings-status.dto.js';

const MESSAGE = 'What a lost watch shows to whoever finds it';

export class DeviceSettingsDto extends SettingsStatusDto {
  @EnumField(LOCATION_MODE, { description: 'How often the watch looks for its position, now' })
  locationMode: LocationMode;

  @UnixMillisecondsField({ nullable: true, description: 'When this mode ends by itself; null for never' })
  locationModeUntil: number | null;

  @EnumField(LOCATION_MODE, { nullable: true, description: 'The mode after that; null where it does not end' })
  locationModeAfter: LocationMode | null;

  @BooleanField({ description: 'The watch is lost: it shows the message and nothing else' })
  lost: boolean;

  @StringField({ nullable: true, maxLength: MAX_LOST_MESSAGE_LENGTH, description: MESSAGE })
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
    description: `Seconds after which the lasting mode counts again; absent makes this the lasting mode, except FOLLOW, which ends after ${LIVE_TRACKING_DEFAULT_TTL_SECONDS}`,
  })
  expiresIn?: number;
}

export class UpdateLostModeDto extends SettingsChangeRequestDto {
  @BooleanField({ description: 'False: it was found, and the message is forgotten' })
  lost: boolean;

  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_LOST_MESSAGE_LENGTH,
    description: MESSAGE,
  })
  lostMessage?: string | null;
}
