import {
  BooleanField,
  IntegerField,
  UnvalidatedListField,
  NestedField,
  NestedListField,
  EnumField,
  StringField,
} from '../../kernel/dto/fields.js';
import { LocationPointDto } from '../../locations/dto/location-point.dto.js';
import { MAC_ADDRESS_PATTERN } from '../contracts/mac-address.js';
import { MAX_OBSERVED_NETWORKS, RADIO_TYPE, SIGNAL_STRENGTH_RANGE_DBM } from '../contracts/radio-environment.js';
import type { AccessPoint, CellTower, RadioType } from '../contracts/radio-environment.js';

export class AccessPointDto implements AccessPoint {
  @StringField({ pattern: MAC_ADDRESS_PATTERN, maxLength: 17, example: '00:1b:21:0a:3f:7c' })
  macAddress: string;

  @IntegerField({ ...SIGNAL_STRENGTH_RANGE_DBM, optional: true, nullable: true, example: -51, description: 'dBm' })
  signalStrength?: number | null;

  @StringField({
    maxLength: 128,
    optional: true,
    nullable: true,
    description: 'Never stored. Networks whose owner opted out of mapping (_nomap, _optout) are ignored.',
  })
  ssid?: string | null;
}

export class CellTowerDto implements CellTower {
  @EnumField(RADIO_TYPE)
  radioType: RadioType;

  @IntegerField({ min: 1, max: 999, example: 293 })
  mobileCountryCode: number;

  @IntegerField({ min: 0, max: 999, example: 40 })
  mobileNetworkCode: number;

  @IntegerField({ min: 0, max: 2 ** 24 - 1, example: 7, description: 'Tracking area of LTE and NR' })
  locationAreaCode: number;

  @IntegerField({ min: 0, max: 2 ** 36 - 1, example: 1_234_567 })
  cellId: number;

  @IntegerField({ ...SIGNAL_STRENGTH_RANGE_DBM, optional: true, nullable: true, example: -95, description: 'dBm' })
  signalStrength?: number | null;
}

/** Allowed fallbacks; all are allowed by default. */
class FallbacksDto {
  @BooleanField({ optional: true, nullable: true, description: 'Location of the cell area' })
  lacf?: boolean | null;

  @BooleanField({ optional: true, nullable: true, description: 'Location of the IP address; overrides `considerIp`' })
  ipf?: boolean | null;
}

class LocateOptionsDto {
  @BooleanField({
    optional: true,
    nullable: true,
    description: 'Whether the IP address may be used; true by default',
  })
  considerIp?: boolean | null;

  @NestedField(() => FallbacksDto, { optional: true, nullable: true })
  fallbacks?: FallbacksDto | null;
}

export class LocateRequestDto extends LocateOptionsDto {
  @NestedListField(() => AccessPointDto, { maxItems: MAX_OBSERVED_NETWORKS, optional: true })
  wifiAccessPoints?: AccessPointDto[];

  @NestedListField(() => CellTowerDto, { maxItems: MAX_OBSERVED_NETWORKS, optional: true })
  cellTowers?: CellTowerDto[];
}

/** Request in Ichnaea's format. Networks with missing fields are ignored, not rejected. */
export class GeolocateRequestDto extends LocateOptionsDto {
  @UnvalidatedListField(() => AccessPointDto, { maxItems: MAX_OBSERVED_NETWORKS, optional: true, nullable: true })
  wifiAccessPoints?: unknown[] | null;

  @UnvalidatedListField(() => CellTowerDto, { maxItems: MAX_OBSERVED_NETWORKS, optional: true, nullable: true })
  cellTowers?: unknown[] | null;

  @EnumField(RADIO_TYPE, { optional: true, nullable: true, description: 'Default for cells without `radioType`' })
  radioType?: RadioType | null;
}

export class LocatedDto {
  @NestedField(() => LocationPointDto, { description: 'Estimated location; the watch reports it like any point' })
  location: LocationPointDto;
}
