import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  BooleanField,
  IntegerField,
  UnvalidatedListField,
  NestedField,
  NestedListField,
  EnumField,
  StringField,
  UnixMillisecondsField,
  type FieldOptions,
} from '../../kernel/dto/fields.js';
import { LatitudeField, LongitudeField } from './degrees-fields.js';
import { LocationPointDto } from './location.dto.js';
import {
  MAC_ADDRESS_PATTERN,
  MAX_OBSERVED_NETWORKS,
  RADIO_TYPE,
  SIGNAL_STRENGTH_RANGE_DBM,
  type RadioType,
} from '../contracts/radio-network.js';
import { MAX_SCAN_RADIUS_METRES, SCAN_REJECTION_REASON, type ScanRejectionReason } from '../contracts/scan.js';

/** An access point observed by a watch. */
export class AccessPointDto {
  @StringField({ pattern: MAC_ADDRESS_PATTERN, maxLength: 17, example: '00:1b:21:0a:3f:7c' })
  macAddress: string;

  @IntegerField({ ...SIGNAL_STRENGTH_RANGE_DBM, optional: true, nullable: true, example: -51, description: 'dBm' })
  signalStrength?: number | null;

  @StringField({
    maxLength: 128,
    optional: true,
    nullable: true,
    description:
      'Network name; never stored. Networks whose names contain an opt-out of mapping (_nomap, _optout) are ignored.',
  })
  ssid?: string | null;
}

/** A cell observed by a watch. */
export class CellTowerDto {
  @EnumField(RADIO_TYPE)
  radioType: RadioType;

  @IntegerField({ min: 1, max: 999, example: 293 })
  mobileCountryCode: number;

  @IntegerField({ min: 0, max: 999, example: 40 })
  mobileNetworkCode: number;

  /** Location area code (GSM, WCDMA) or tracking area code (LTE, NR). */
  @IntegerField({ min: 0, max: 2 ** 24 - 1, example: 7, description: 'For LTE and NR: tracking area code' })
  locationAreaCode: number;

  @IntegerField({ min: 0, max: 2 ** 36 - 1, example: 1_234_567 })
  cellId: number;

  @IntegerField({ ...SIGNAL_STRENGTH_RANGE_DBM, optional: true, nullable: true, example: -95, description: 'dBm' })
  signalStrength?: number | null;
}

const LACF_OPTIONS = {
  optional: true,
  nullable: true,
  description: 'Whether the location of a cell area may be returned',
};
const IPF_OPTIONS = {
  optional: true,
  nullable: true,
  description: 'Whether the location of the IP address may be returned; overrides `considerIp`',
};
const CONSIDER_IP_OPTIONS = {
  optional: true,
  nullable: true,
  description: 'Whether the location of the IP address may be returned; true by default',
};

/** Fallbacks that may be used if no observed network is known; each is allowed unless it is `false`. */
class FallbacksDto {
  @BooleanField(LACF_OPTIONS)
  lacf?: boolean | null;

  @BooleanField(IPF_OPTIONS)
  ipf?: boolean | null;
}

export class LocateRequestDto {
  @BooleanField(CONSIDER_IP_OPTIONS)
  considerIp?: boolean | null;

  @NestedField(() => FallbacksDto, { optional: true, nullable: true })
  fallbacks?: FallbacksDto | null;

  @NestedListField(() => AccessPointDto, { maxItems: MAX_OBSERVED_NETWORKS, optional: true })
  wifiAccessPoints?: AccessPointDto[];

  @NestedListField(() => CellTowerDto, { maxItems: MAX_OBSERVED_NETWORKS, optional: true })
  cellTowers?: CellTowerDto[];
}

function isIchnaeaFalse(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && /^(false|0)$/i.test(value));
}

/** A boolean as Ichnaea reads it: every value but `false`, `0`, and the same as text, is true. */
function IchnaeaBooleanField(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (value == null ? value : !isIchnaeaFalse(value))),
    BooleanField(options),
  );
}

/** {@link FallbacksDto} as Ichnaea reads it. */
class GeolocateFallbacksDto {
  @IchnaeaBooleanField(LACF_OPTIONS)
  lacf?: boolean | null;

  @IchnaeaBooleanField(IPF_OPTIONS)
  ipf?: boolean | null;
}

/** Request in the format of Ichnaea's geolocate API. Networks with missing fields are ignored, not rejected. */
export class GeolocateRequestDto {
  @IchnaeaBooleanField(CONSIDER_IP_OPTIONS)
  considerIp?: boolean | null;

  @NestedField(() => GeolocateFallbacksDto, { optional: true, nullable: true })
  fallbacks?: GeolocateFallbacksDto | null;

  @UnvalidatedListField(() => AccessPointDto, { maxItems: MAX_OBSERVED_NETWORKS, optional: true, nullable: true })
  wifiAccessPoints?: unknown[] | null;

  @UnvalidatedListField(() => CellTowerDto, { maxItems: MAX_OBSERVED_NETWORKS, optional: true, nullable: true })
  cellTowers?: unknown[] | null;

  @EnumField(
    { ...RADIO_TYPE, CDMA: 'cdma' },
    {
      optional: true,
      nullable: true,
      description: 'Radio type of the cells without `radioType`. Cells of type `cdma` are ignored.',
    },
  )
  radioType?: RadioType | 'cdma' | null;
}

export class LocatedDto {
  @NestedField(() => LocationPointDto, {
    description: 'Estimated location; the watch should report it like a measured location',
  })
  location: LocationPointDto;
}

/** Maximum number of scans per report: 50 scans with thirty access points each stay below the limits of a body. */
const MAX_REPORTED_SCANS = 50;

/**
 * The networks that a watch observed at a GPS location, from which the service estimates the networks' locations.
 */
export class ScanDto {
  @LatitudeField()
  latitude: string;

  @LongitudeField()
  longitude: string;

  @IntegerField({ min: 0, max: MAX_SCAN_RADIUS_METRES, example: 12, description: 'Accuracy radius in metres' })
  radius: number;

  @UnixMillisecondsField({ description: 'Time of the measurement, since 2015' })
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

/** Result for one scan of a report. The watch must not send an accepted or rejected scan again. */
export class ScanResultDto {
  @IntegerField({ min: 0, example: 0, description: 'Index in the reported list' })
  index: number;

  @BooleanField({ description: 'True if the service used the scan to estimate the locations of networks' })
  accepted: boolean;

  @EnumField(SCAN_REJECTION_REASON, {
    nullable: true,
    description: 'Why the service did not use the scan; null for an accepted scan',
  })
  reason: ScanRejectionReason | null;
}

export class ScanReportResultDto {
  @NestedListField(() => ScanResultDto, { maxItems: MAX_REPORTED_SCANS })
  results: ScanResultDto[];
}

/** A location in the format of Ichnaea's geolocate API: degrees as numbers. */
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

  @ApiProperty({
    enum: ['lacf', 'ipf'],
    required: false,
    description: 'Fallback that gave the location: `lacf` cell area, `ipf` IP address; omitted if none was used',
  })
  fallback?: 'lacf' | 'ipf';
}

export class GeolocateProblemDto {
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

/** Error response in the format of Ichnaea's geolocate API. */
export class GeolocateErrorDto {
  @NestedField(() => GeolocateFailureDto)
  error: GeolocateFailureDto;
}
