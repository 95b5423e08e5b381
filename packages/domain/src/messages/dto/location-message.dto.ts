import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { DeviceId, Flag, Integer, Nested, NestedList, OneOf, Reference, TextList } from '../../kernel/dto/fields.js';
import { POINT_REFUSAL } from '../../locations/contracts/check-point.js';
import type { PointRefusal } from '../../locations/contracts/check-point.js';
import type { Location } from '../../locations/contracts/location.js';
import { LocationPointDto } from '../../locations/dto/location-point.dto.js';
import type { LocationChangePayload, LocationReportPayload, PointAnswer } from '../contracts/payloads.js';

export const MAX_POINTS = 100;

/** A list whose items are judged one by one by the service, so that one bad point does not refuse the good ones. */
function Points(): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_POINTS),
    ApiProperty({ type: [LocationPointDto], minItems: 1, maxItems: MAX_POINTS }),
  );
}

/** LocationPointChangeMessage from a watch. */
export class LocationReportDto implements LocationReportPayload {
  @Points()
  points: unknown[];
}

/** What became of one point of a report. A refused one must not be sent again. */
export class PointAnswerDto implements PointAnswer {
  @Integer({ min: 0, max: MAX_POINTS - 1, description: 'Place in the report' })
  index: number;

  @Flag()
  accepted: boolean;

  @TextList({ maxItems: 8, description: 'What makes an accepted point doubtful' })
  flags: string[];

  @OneOf(POINT_REFUSAL, { nullable: true })
  reason: PointRefusal | null;
}

export class LocationReportAnswerDto {
  @NestedList(() => PointAnswerDto, { maxItems: MAX_POINTS })
  points: PointAnswerDto[];
}

/** LocationPointChangeMessage to a guardian. */
export class LocationChangeDto implements LocationChangePayload {
  @DeviceId()
  did: number;

  @Reference()
  cid: string;

  @Nested(() => LocationPointDto)
  location: Location;
}
