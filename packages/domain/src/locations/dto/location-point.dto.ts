import { IntegerField, EnumField, StringField, UnixMillisecondsField } from '../../kernel/dto/fields.js';
import { LATITUDE_PATTERN, LONGITUDE_PATTERN, MAX_ACCURACY_RADIUS } from '../contracts/validate-point.js';
import { POINT_TYPE } from '../contracts/location.js';
import type { Location, PointType } from '../contracts/location.js';

/** Location (specification 2.3): decimal degrees (WGS 84) as text, Unix milliseconds, radius in metres. */
export class LocationPointDto implements Location {
  @StringField({ pattern: LATITUDE_PATTERN, maxLength: 14, example: '31.2304', description: 'Degrees, −90 to 90' })
  latitude: string;

  @StringField({ pattern: LONGITUDE_PATTERN, maxLength: 15, example: '121.4737', description: 'Degrees, −180 to 180' })
  longitude: string;

  @UnixMillisecondsField({ description: 'Time of the measurement' })
  positionTime: number;

  @IntegerField({ min: 0, max: MAX_ACCURACY_RADIUS, example: 20, description: 'Accuracy radius in metres' })
  radius: number;

  @EnumField(POINT_TYPE, { example: POINT_TYPE.GPS, description: '0 unknown, 1 GPS, 2 WiFi, 3 cell, 4 IP' })
  pointType: PointType;
}
