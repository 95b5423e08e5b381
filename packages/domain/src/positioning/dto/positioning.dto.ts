import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  IntegerField,
  UnvalidatedListField,
  NestedField,
  NestedListField,
  EnumField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { LATITUDE_PATTERN, LONGITUDE_PATTERN } from '../../locations/contracts/validate-point.js';
import { LocationPointDto } from '../../locations/dto/location.dto.js';
import {
  MAC_ADDRESS_PATTERN,
  MAX_OBSERVED_NETWORKS,
  RADIO_TYPE,
  SIGNAL_STRENGTH_RANGE_DBM,
} from '../contracts/radio-network.js';
import type { AccessPoint, CellTower, RadioType } from '../contracts/radio-network.js';
import { MAX_SCAN_RADIUS_METRES, SCAN_REJECTION_REASON } from '../contracts/validate-scan.js';
import type { Scan, ScanRejectionReason, ScanResult } from '../contracts/validate-scan.js';

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

/** With thirty access points each, a report of this size stays below the limits of a request body. */
const MAX_REPORTED_SCANS = 50;

/** The networks that a watch observed at a GPS location. */
class ScanDto implements Scan {
  @StringField({ pattern: LATITUDE_PATTERN, maxLength: 14, example: '31.2304', description: 'Degrees, −90 to 90' })
  latitude: string;

  @StringField({ pattern: LONGITUDE_PATTERN, maxLength: 15, example: '121.4737', description: 'Degrees, −180 to 180' })
  longitude: string;

  @IntegerField({ min: 0, max: MAX_SCAN_RADIUS_METRES, example: 12, description: 'Accuracy radius in metres' })
  radius: number;

  @UnixMillisecondsField({ description: 'Time of the measurement' })
  positionTime: number;

  @NestedListField(() => AccessPointDto, { maxItems: MAX_OBSERVED_NETWORKS, optional: true })
  wifiAccessPoints: AccessPointDto[];

  @NestedListField(() => CellTowerDto, { maxItems: MAX_OBSERVED_NETWORKS, optional: true })
  cellTowers: CellTowerDto[];
}

export class ScanReportDto {
  @UnvalidatedListField(() => ScanDto, { minItems: 1, maxItems: MAX_REPORTED_SCANS })
  scans: unknown[];
}

/** Result for one scan. The watch must not send an accepted or rejected scan again. */
export class ScanResultDto implements ScanResult {
  @IntegerField({ min: 0, example: 0, description: 'Index in the reported list' })
  index: number;

  @BooleanField({ description: 'True if something was learned from the scan' })
  accepted: boolean;

  @EnumField(SCAN_REJECTION_REASON, { nullable: true, description: 'Why nothing was learned' })
  reason: ScanRejectionReason | null;
}

export class ScanReportResultDto {
  @NestedListField(() => ScanResultDto, { maxItems: MAX_REPORTED_SCANS })
  results: ScanResultDto[];
}

/** A location in Ichnaea's format: degrees as numbers. */
class GeolocateLocationDto {
  @ApiProperty({ type: Number, example: 45.380601 })
  lat: number;

  @ApiProperty({ type: Number, example: 14.144491 })
  lng: number;
}

export class GeolocateResponseDto {
  @NestedField(() => GeolocateLocationDto)
  location: GeolocateLocationDto;

  @ApiProperty({ type: Number, example: 95, description: 'Accuracy radius in metres' })
  accuracy: number;

  @ApiProperty({ enum: ['lacf', 'ipf'], required: false, description: 'Fallback that was used, if any' })
  fallback?: 'lacf' | 'ipf';
}

class GeolocateProblemDto {
  @StringField({ example: 'geolocation' })
  domain: string;

  @StringField({ example: 'notFound' })
  reason: string;

  @StringField({ example: 'Not found' })
  message: string;
}

class GeolocateFailureDto {
  @NestedListField(() => GeolocateProblemDto, { minItems: 1, maxItems: 1 })
  errors: GeolocateProblemDto[];

  @IntegerField({ example: 404, description: 'HTTP status' })
  code: number;

  @StringField({ example: 'Not found' })
  message: string;
}

/** Error response in Ichnaea's format. */
export class GeolocateErrorDto {
  @NestedField(() => GeolocateFailureDto)
  error: GeolocateFailureDto;
}
