import {
  AreaCode,
  DeviceId,
  Id,
  Integer,
  Name,
  Nested,
  NestedList,
  OneOf,
  PhoneNumber,
  Text,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import { TimeZone } from '../../kernel/dto/time-zone.js';
import { POINT_TYPE } from '../../locations/contracts/location.js';
import type { Location, PointType } from '../../locations/contracts/location.js';
import type { ChildDetail, ChildDevice, ChildItem } from '../contracts/child.js';
import { GENDER } from '../contracts/gender.js';
import type { Gender } from '../contracts/gender.js';

/** Device (specification 2.2). */
export class ChildDeviceDto implements ChildDevice {
  @DeviceId()
  did: number;

  @Integer({ min: 0, max: 2_147_483_647, example: 83, description: 'Per cent; 0 until the watch has said' })
  battery: number;

  @Integer({ min: 0, max: 2_147_483_647, example: 3 })
  signal: number;

  @Integer({ min: 0, max: 2_147_483_647, example: 4 })
  signalMax: number;

  @Text({ maxLength: 4_096, description: 'For the family cloud; good for at least half an hour' })
  ticket: string;
}

/** Location (specification 2.3). */
export class ChildLocationDto implements Location {
  @Text({ example: '31.230416', description: 'Decimal degrees, WGS 84' })
  latitude: string;

  @Text({ example: '121.473701', description: 'Decimal degrees, WGS 84' })
  longitude: string;

  @UnixMilliseconds()
  positionTime: number;

  @Integer({ min: 0, max: 2_147_483_647, example: 25, description: 'Metres' })
  radius: number;

  @OneOf(POINT_TYPE, { example: 1, description: '0 unknown, 1 GPS, 2 Wi-Fi, 3 cell, 4 IP' })
  pointType: PointType;
}

/** Child (specification 2.1). */
export class ChildDto implements ChildItem {
  @Id()
  cid: string;

  @Integer({ min: 0, max: 2_147_483_647, example: 4_210, description: "Steps of today in the child's time zone" })
  stepCount: number;

  @Name({ example: 'Mia' })
  name: string;

  @Text({ optional: true, example: 'media/5b1c' })
  avatar?: string;

  @Nested(() => ChildDeviceDto, { nullable: true, description: 'null while no watch is bound' })
  device: ChildDeviceDto | null;

  @Nested(() => ChildLocationDto, { nullable: true, description: 'null while none is known, or not to be seen' })
  lastLocation: ChildLocationDto | null;
}

/** Answer of GetChild (specification 4.1). */
export class ChildListDto {
  @NestedList(() => ChildDto, { maxItems: 10_000 })
  childList: ChildDto[];
}

/** Answer of CreateChild (specification 4.1). */
export class CreatedChildDto {
  @Id()
  cid: string;
}

/** Every field of a child, so that a second phone can edit it. */
export class ChildDetailDto implements ChildDetail {
  @Id()
  cid: string;

  @Id()
  familyId: string;

  @Name({ example: 'Mia' })
  name: string;

  @PhoneNumber()
  phoneNumber: string;

  @AreaCode({ description: 'With +' })
  areaCode: string;

  @Text({ optional: true, example: 'media/5b1c' })
  avatar?: string;

  @Text({ optional: true, example: '2018-05-04' })
  birthday?: string;

  @Name({ example: 'Mimi' })
  appellation: string;

  @OneOf(GENDER, { example: 3, description: '0 unknown, 2 man, 3 woman' })
  gender: Gender;

  @Integer({ min: 100, max: 200, example: 120 })
  weight: number;

  @Integer({ min: 100, max: 200, example: 125 })
  height: number;

  @TimeZone()
  timeZone: string;
}
