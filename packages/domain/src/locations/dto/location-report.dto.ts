import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, IntegerField, NestedListField, EnumField } from '../../kernel/dto/fields.js';
import { POINT_REJECTION_REASON } from '../contracts/validate-point.js';
import type { PointRejectionReason, PointResult } from '../contracts/validate-point.js';
import { POINT_FLAG } from '../contracts/point-flag.js';
import type { PointFlag } from '../contracts/point-flag.js';
import { ReportedPointsField } from './reported-points.js';

/** With five fields per point, a report of this size stays below the limits of a request body. */
const MAX_REPORTED_POINTS = 1_000;

/** Points that a watch reports over REST. The socket message is `LocationChangeReportDto`. */
export class LocationReportDto {
  @ReportedPointsField({ maxItems: MAX_REPORTED_POINTS })
  points: unknown[];
}

/** Result for one reported point. A rejected point must not be sent again. */
export class PointResultDto implements PointResult {
  @IntegerField({ min: 0, example: 0, description: 'Index in the reported list' })
  index: number;

  @BooleanField({ description: 'True if the point is stored, by this report or an earlier one; do not send it again' })
  accepted: boolean;

  @ApiProperty({ enum: Object.values(POINT_FLAG), isArray: true, description: 'Why the point is implausible' })
  flags: PointFlag[];

  @EnumField(POINT_REJECTION_REASON, { nullable: true, description: 'Why it was not stored' })
  reason: PointRejectionReason | null;
}

export class LocationReportResultDto {
  @NestedListField(() => PointResultDto, { maxItems: MAX_REPORTED_POINTS })
  results: PointResultDto[];
}
