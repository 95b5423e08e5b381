import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, IntegerField, NestedListField, EnumField } from '../../kernel/dto/fields.js';
import { POINT_REJECTION_REASON } from '../contracts/validate-point.js';
import type { PointRejectionReason, PointResult } from '../contracts/validate-point.js';
import { POINT_FLAG } from '../contracts/point-flag.js';
import type { PointFlag } from '../contracts/point-flag.js';
import { ReportedPointsField } from './reported-points.js';

/** With five members a point, a report of this size stays below the bounds of a body. */
const MAX_REPORTED_POINTS = 1_000;

/** Points that a watch reports over REST; over the socket it is `LocationChangeReportDto` of the messages. */
export class LocationReportDto {
  @ReportedPointsField({ maxItems: MAX_REPORTED_POINTS })
  points: unknown[];
}

/** What became of one reported point. A refused one must not be sent again. */
export class PointResultDto implements PointResult {
  @IntegerField({ min: 0, example: 0, description: 'Place in the list that was sent' })
  index: number;

  @BooleanField({ description: 'Stored, now or before. Either way the point need not be sent again' })
  accepted: boolean;

  @ApiProperty({ enum: Object.values(POINT_FLAG), isArray: true, description: 'What is doubtful about the point' })
  flags: PointFlag[];

  @EnumField(POINT_REJECTION_REASON, { nullable: true, description: 'Why it was not stored' })
  reason: PointRejectionReason | null;
}

export class LocationReportResultDto {
  @NestedListField(() => PointResultDto, { maxItems: MAX_REPORTED_POINTS })
  results: PointResultDto[];
}
