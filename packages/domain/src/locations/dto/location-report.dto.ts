import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { Flag, Integer, NestedList, OneOf } from '../../kernel/dto/fields.js';
import { POINT_REFUSAL } from '../contracts/check-point.js';
import type { PointRefusal } from '../contracts/check-point.js';
import { POINT_FLAG } from '../contracts/point-flag.js';
import type { PointFlag } from '../contracts/point-flag.js';
import { LocationPointDto } from './location-point.dto.js';

/** With five members a point, a report of this size stays below the bounds of a body. */
export const MAX_REPORTED_POINTS = 1_000;

/** Points are documented here and judged one by one: a bad one must not keep the good ones from being stored. */
function ReportedPoints(): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_REPORTED_POINTS),
    ApiProperty({ type: LocationPointDto, isArray: true, minItems: 1, maxItems: MAX_REPORTED_POINTS }),
  );
}

export class LocationReportDto {
  @ReportedPoints()
  points: unknown[];
}

export class PointResultDto {
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
