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
