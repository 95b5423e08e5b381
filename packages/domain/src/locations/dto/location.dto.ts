import { ApiProperty } from '@nestjs/swagger';
import {
  IntegerField,
  EnumField,
  StringField,
  UnixMillisecondsField,
  UnvalidatedListField,
  BooleanField,
  NestedListField,
  DeviceIdField,
  UuidField,
  NestedField,
  ReferenceField,
} from '../../kernel/dto/fields.js';
import {
  POINT_TYPE,
  POINT_FLAG,
  LOCATION_REQUEST_STATE,
  type Location,
  type PointType,
  type PointFlag,
  type LocationRequestState,
} from '../contracts/location.js';
import {
  MAX_ACCURACY_RADIUS,
  POINT_REJECTION_REASON,
  type PointRejectionReason,
  type PointResult,
} from '../contracts/validate-point.js';
import { LatitudeField, LongitudeField } from './degrees-fields.js';

/** A location (specification 2.3). */
export class LocationPointDto implements Location {
  @LatitudeField()
  latitude: string;

  @LongitudeField()
  longitude: string;

  @UnixMillisecondsField({ description: 'Time of the measurement, since 2015' })
  positionTime: number;

  @IntegerField({ min: 0, max: MAX_ACCURACY_RADIUS, example: 20, description: 'Accuracy radius in metres' })
  radius: number;

  @EnumField(POINT_TYPE, { example: POINT_TYPE.GPS, description: '0 unknown, 1 GPS, 2 WiFi, 3 cell, 4 IP' })
  pointType: PointType;
}

/** Reported points. The service validates each point itself and stores the valid ones even if others are invalid. */
export function ReportedPointsField({ maxItems }: { maxItems: number }): PropertyDecorator {
  return UnvalidatedListField(() => LocationPointDto, { minItems: 1, maxItems });
}

/** Maximum number of points per report: a report of 1,000 points with five fields stays below the limits of a body. */
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

  @EnumField(POINT_REJECTION_REASON, {
    nullable: true,
    description: 'Why the point was not stored; null for a stored point',
  })
  reason: PointRejectionReason | null;
}

export class LocationReportResultDto {
  @NestedListField(() => PointResultDto, { maxItems: MAX_REPORTED_POINTS })
  results: PointResultDto[];
}

export class AskLocationDto {
  @DeviceIdField()
  did: number;
}

export class AskQueryDto {
  @ReferenceField({ example: 'c8a3f5c2-8c6f-4c55-9f0b-2f8f5f0f3b61' })
  askId: string;
}

export class AskedDto {
  @UuidField()
  askId: string;

  @UnixMillisecondsField({ description: 'Time until which a point can answer the request' })
  deadline: number;
}

export class AskProgressDto extends AskedDto {
  @EnumField(LOCATION_REQUEST_STATE, { description: 'ANSWERED by the first credible point after the request' })
  state: LocationRequestState;

  @NestedField(() => LocationPointDto, { nullable: true, description: 'The point that answered the request' })
  location: LocationPointDto | null;
}

const MAX_COMMENT_LENGTH = 500;

/** Identifies a stored point as `track` returns it. */
export class PointReferenceDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @UnixMillisecondsField({ description: 'Time of the measurement' })
  positionTime: number;

  @EnumField(POINT_TYPE, { example: POINT_TYPE.GPS, description: '0 unknown, 1 GPS, 2 WiFi, 3 cell, 4 IP' })
  pointType: PointType;

  @DeviceIdField({
    optional: true,
    description: 'The watch that reported the point; if omitted, the points of every watch that the child has had',
  })
  did?: number;
}

export class ReportWrongDto extends PointReferenceDto {
  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_COMMENT_LENGTH,
    description: 'What is wrong with the point',
  })
  comment?: string | null;
}
