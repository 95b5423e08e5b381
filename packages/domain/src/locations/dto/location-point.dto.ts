import { Integer, OneOf, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { LATITUDE_PATTERN, LONGITUDE_PATTERN, MAX_RADIUS } from '../contracts/check-point.js';
import { POINT_TYPE } from '../contracts/location.js';
import type { Location, PointType } from '../contracts/location.js';

/** Location (specification 2.3): decimal degrees WGS 84 as text, Unix milliseconds, radius in metres. */
export class LocationPointDto implements Location {
  @Text({ pattern: LATITUDE_PATTERN, maxLength: 14, example: '31.2304', description: 'Degrees, −90 to 90' })
  latitude: string;

  @Text({ pattern: LONGITUDE_PATTERN, maxLength: 15, example: '121.4737', description: 'Degrees, −180 to 180' })
  longitude: string;

  @UnixMilliseconds({ description: 'When the watch was there' })
  positionTime: number;

  @Integer({ min: 0, max: MAX_RADIUS, example: 20, description: 'Metres around the place' })
  radius: number;

  @OneOf(POINT_TYPE, { example: POINT_TYPE.GPS, description: '0 unknown, 1 GPS, 2 WiFi, 3 cell, 4 IP' })
  pointType: PointType;
}
