import { Flag, Integer, JudgedList, Nested, NestedList, OneOf, Text } from '../../kernel/dto/fields.js';
import { LocationPointDto } from '../../locations/dto/location-point.dto.js';
import { MAC_ADDRESS_PATTERN } from '../contracts/mac-address.js';
import { MAX_HEARD, RADIO_TYPE, SIGNAL_RANGE } from '../contracts/surroundings.js';
import type { AccessPoint, CellTower, RadioType } from '../contracts/surroundings.js';

export class AccessPointDto implements AccessPoint {
  @Text({ pattern: MAC_ADDRESS_PATTERN, maxLength: 17, example: '00:1b:21:0a:3f:7c' })
  macAddress: string;

  @Integer({ ...SIGNAL_RANGE, optional: true, nullable: true, example: -51, description: 'dBm' })
  signalStrength?: number | null;

  @Text({ maxLength: 128, optional: true, nullable: true, description: 'Never stored; one in _nomap is left out' })
  ssid?: string | null;
}

export class CellTowerDto implements CellTower {
  @OneOf(RADIO_TYPE)
  radioType: RadioType;

  @Integer({ min: 1, max: 999, example: 293 })
  mobileCountryCode: number;

  @Integer({ min: 0, max: 999, example: 40 })
  mobileNetworkCode: number;

  @Integer({ min: 0, max: 2 ** 24 - 1, example: 7, description: 'Tracking area of LTE and NR' })
  locationAreaCode: number;

  @Integer({ min: 0, max: 2 ** 36 - 1, example: 1_234_567 })
  cellId: number;

  @Integer({ ...SIGNAL_RANGE, optional: true, nullable: true, example: -95, description: 'dBm' })
  signalStrength?: number | null;
}

/** What may be fallen back on; absent means that it may. */
class FallbacksDto {
  @Flag({ optional: true, nullable: true, description: 'The area of the cells' })
  lacf?: boolean | null;

  @Flag({ optional: true, nullable: true, description: 'The network address; goes before `considerIp`' })
  ipf?: boolean | null;
}

class LocateOptionsDto {
  @Flag({ optional: true, nullable: true, description: 'May the network address be considered? True when absent' })
  considerIp?: boolean | null;

  @Nested(() => FallbacksDto, { optional: true, nullable: true })
  fallbacks?: FallbacksDto | null;
}

export class LocateRequestDto extends LocateOptionsDto {
  @NestedList(() => AccessPointDto, { maxItems: MAX_HEARD, optional: true })
  wifiAccessPoints?: AccessPointDto[];

  @NestedList(() => CellTowerDto, { maxItems: MAX_HEARD, optional: true })
  cellTowers?: CellTowerDto[];
}

/** As Ichnaea takes it: networks that are not fully named are left out instead of refused. */
export class GeolocateRequestDto extends LocateOptionsDto {
  @JudgedList(() => AccessPointDto, { maxItems: MAX_HEARD, optional: true, nullable: true })
  wifiAccessPoints?: unknown[] | null;

  @JudgedList(() => CellTowerDto, { maxItems: MAX_HEARD, optional: true, nullable: true })
  cellTowers?: unknown[] | null;

  @OneOf(RADIO_TYPE, { optional: true, nullable: true, description: 'Of cells that name none' })
  radioType?: RadioType | null;
}

export class LocatedDto {
  @Nested(() => LocationPointDto, { description: 'Of now; the watch reports it as any other point' })
  location: LocationPointDto;
}
