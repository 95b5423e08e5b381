import { Flag, Integer, JudgedList, NestedList, OneOf, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { LATITUDE_PATTERN, LONGITUDE_PATTERN } from '../../locations/contracts/check-point.js';
import { MAX_SCAN_RADIUS, SCAN_REFUSAL } from '../contracts/check-scan.js';
import type { Scan, ScanRefusal, ScanResult } from '../contracts/check-scan.js';
import { MAX_HEARD } from '../contracts/surroundings.js';
import { AccessPointDto, CellTowerDto } from './surroundings.dto.js';

/** With thirty access points each, a report of this size stays below the bounds of a body. */
const MAX_REPORTED_SCANS = 50;

/** What a watch heard at a place that it knew from satellites. */
class ScanDto implements Scan {
  @Text({ pattern: LATITUDE_PATTERN, maxLength: 14, example: '31.2304', description: 'Degrees, −90 to 90' })
  latitude: string;

  @Text({ pattern: LONGITUDE_PATTERN, maxLength: 15, example: '121.4737', description: 'Degrees, −180 to 180' })
  longitude: string;

  @Integer({ min: 0, max: MAX_SCAN_RADIUS, example: 12, description: 'Metres around the place' })
  radius: number;

  @UnixMilliseconds({ description: 'When the watch was there' })
  positionTime: number;

  @NestedList(() => AccessPointDto, { maxItems: MAX_HEARD, optional: true })
  wifiAccessPoints: AccessPointDto[];

  @NestedList(() => CellTowerDto, { maxItems: MAX_HEARD, optional: true })
  cellTowers: CellTowerDto[];
}

export class ScanReportDto {
  @JudgedList(() => ScanDto, { minItems: 1, maxItems: MAX_REPORTED_SCANS })
  scans: unknown[];
}

/** What became of one scan. It need not be sent again either way. */
export class ScanResultDto implements ScanResult {
  @Integer({ min: 0, example: 0, description: 'Place in the list that was sent' })
  index: number;

  @Flag({ description: 'Something was learned from it' })
  accepted: boolean;

  @OneOf(SCAN_REFUSAL, { nullable: true, description: 'Why nothing was' })
  reason: ScanRefusal | null;
}

export class ScanReportResultDto {
  @NestedList(() => ScanResultDto, { maxItems: MAX_REPORTED_SCANS })
  results: ScanResultDto[];
}
