import { ApiProperty } from '@nestjs/swagger';
import { Flag, Integer, NestedList, OneOf } from '../../kernel/dto/fields.js';
import { POINT_REFUSAL } from '../contracts/check-point.js';
import type { PointRefusal, PointResult } from '../contracts/check-point.js';
import { POINT_FLAG } from '../contracts/point-flag.js';
import type { PointFlag } from '../contracts/point-flag.js';
import { ReportedPoints } from './reported-points.js';

/** With five members a point, a report of this size stays below the bounds of a body. */
const MAX_REPORTED_POINTS = 1_000;

/** Points that a watch reports over REST; over the socket it is `LocationChangeReportDto` of the messages. */
export class LocationReportDto {
  @ReportedPoints({ maxItems: MAX_REPORTED_POINTS })
  points: unknown[];
}

/** What became of one reported point. A refused one must not be sent again. */
export class PointResultDto implements PointResult {
  @Integer({ min: 0, example: 0, description: 'Place in the list that was sent' })
  index: number;

  @Flag({ description: 'Stored, now or before. Either way the point need not be sent again' })
  accepted: boolean;

  @ApiProperty({ enum: Object.values(POINT_FLAG), isArray: true, description: 'What is doubtful about the point' })
  flags: PointFlag[];

  @OneOf(POINT_REFUSAL, { nullable: true, description: 'Why it was not stored' })
  reason: PointRefusal | null;
}

export class LocationReportResultDto {
  @NestedList(() => PointResultDto, { maxItems: MAX_REPORTED_POINTS })
  results: PointResultDto[];
}
