import {
  BooleanField,
  IntegerField,
  UnvalidatedListField,
  NestedListField,
  EnumField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { LATITUDE_PATTERN, LONGITUDE_PATTERN } from '../../locations/contracts/validate-point.js';
import { MAX_SCAN_RADIUS_METRES, SCAN_REJECTION_REASON } from '../contracts/validate-scan.js';
import type { Scan, ScanRejectionReason, ScanResult } from '../contracts/validate-scan.js';
import { MAX_OBSERVED_NETWORKS } from '../contracts/radio-environment.js';
import { AccessPointDto, CellTowerDto } from './surroundings.dto.js';

/** With thirty access points each, a report of this size stays below the bounds of a body. */
const MAX_REPORTED_SCANS = 50;

/** What a watch heard at a place that it knew from satellites. */
class ScanDto implements Scan {
  @StringField({ pattern: LATITUDE_PATTERN, maxLength: 14, example: '31.2304', description: 'Degrees, −90 to 90' })
  latitude: string;

  @StringField({ pattern: LONGITUDE_PATTERN, maxLength: 15, example: '121.4737', description: 'Degrees, −180 to 180' })
  longitude: string;

  @IntegerField({ min: 0, max: MAX_SCAN_RADIUS_METRES, example: 12, description: 'Metres around the place' })
  radius: number;

  @UnixMillisecondsField({ description: 'When the watch was there' })
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

/** What became of one scan. It need not be sent again either way. */
export class ScanResultDto implements ScanResult {
  @IntegerField({ min: 0, example: 0, description: 'Place in the list that was sent' })
  index: number;

  @BooleanField({ description: 'Something was learned from it' })
  accepted: boolean;

  @EnumField(SCAN_REJECTION_REASON, { nullable: true, description: 'Why nothing was' })
  reason: ScanRejectionReason | null;
}

export class ScanReportResultDto {
  @NestedListField(() => ScanResultDto, { maxItems: MAX_REPORTED_SCANS })
  results: ScanResultDto[];
}
