import { ApiProperty } from '@nestjs/swagger';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import {
  NestedField,
  NestedListField,
  BooleanQueryField,
  IntegerQueryField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
  IntegerField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  MAX_SIMPLIFIED_TRACK,
  SIMPLIFY_TOLERANCE_METRES,
  POINT_FLAG,
  MAX_VISITS_PERIOD_DAYS,
  type PointFlag,
} from '../contracts/location.js';
import { MAX_POSITION_TIME } from '../contracts/validate-point.js';
import { LocationPointDto } from './location.dto.js';

export class TrackQueryDto extends PageQueryDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @IntegerQueryField({ min: 0, max: MAX_POSITION_TIME, description: 'Unix milliseconds, inclusive' })
  from: number;

  @IntegerQueryField({ min: 0, max: MAX_POSITION_TIME, description: 'Unix milliseconds, exclusive' })
  to: number;

  @IntegerQueryField({
    optional: true,
    min: SIMPLIFY_TOLERANCE_METRES.MIN,
    max: SIMPLIFY_TOLERANCE_METRES.MAX,
    example: 20,
    description:
      'Omits points within this many metres of the line through the other points, except flagged points. ' +
      `Allowed for at most ${MAX_SIMPLIFIED_TRACK.HOURS} hours and ${MAX_SIMPLIFIED_TRACK.POINTS} points.`,
  })
  simplify?: number;

  @BooleanQueryField({
    optional: true,
    description: 'Omits points with the flags FUTURE, IMPOSSIBLE_SPEED, NO_FIX and REPORTED_WRONG',
  })
  credibleOnly?: boolean;
}

/** A stored point with its flags. */
export class StoredPointDto extends LocationPointDto {
  @ApiProperty({ enum: Object.values(POINT_FLAG), isArray: true })
  flags: PointFlag[];

  @UnixMillisecondsField({ description: 'Time of receipt' })
  receivedAt: number;
}

export class LastLocationQueryDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @BooleanQueryField({ optional: true, description: 'Adds the nearest town' })
  withTown?: boolean;
}

/** The town in which, or near which, a location is. */
export class NearestTownDto {
  @StringField({ example: 'Pudong', description: 'Name of the town, village or district, as GeoNames writes it' })
  name: string;

  @StringField({ nullable: true, example: 'Shanghai', description: 'The large city to which it belongs, if any' })
  city: string | null;

  @StringField({ example: 'CN', description: 'Country, ISO 3166-1 alpha-2' })
  country: string;

  @IntegerField({ min: 0, example: 1_200, description: 'Metres from the centre of the town' })
  distance: number;
}

export class LastLocationDto {
  @NestedField(() => StoredPointDto, { nullable: true, description: 'null if the child has no location yet' })
  location: StoredPointDto | null;

  @NestedField(() => NearestTownDto, {
    optional: true,
    nullable: true,
    description: 'With `withTown`; null without a town within 50 km, and while the service cannot name it',
  })
  town?: NearestTownDto | null;
}

export class TrackDto {
  @NestedListField(() => StoredPointDto, { maxItems: MAX_PAGE_LIMIT, description: 'In time order' })
  items: StoredPointDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}

export class VisitsQueryDto extends PageQueryDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @IntegerQueryField({ min: 0, max: MAX_POSITION_TIME, description: 'Unix milliseconds, inclusive' })
  from: number;

  @IntegerQueryField({
    min: 0,
    max: MAX_POSITION_TIME,
    description: `Unix milliseconds, exclusive; at most ${MAX_VISITS_PERIOD_DAYS} days after \`from\``,
  })
  to: number;
}

/** A stay of at least ten minutes at one place, cut to the requested period. */
export class VisitDto {
  @UnixMillisecondsField({ description: 'Time of the first point of the stay' })
  from: number;

  @UnixMillisecondsField({ description: 'Time of the last point of the stay' })
  to: number;

  @StringField({ example: '31.230416', description: 'Centre of the place, decimal degrees' })
  latitude: string;

  @StringField({ example: '121.473701', description: 'Centre of the place, decimal degrees' })
  longitude: string;

  @IntegerField({ min: 0, example: 40, description: 'Radius in metres that contains all points of the stay' })
  radius: number;
}

export class VisitsDto {
  @NestedListField(() => VisitDto, { maxItems: MAX_PAGE_LIMIT, description: 'In time order' })
  items: VisitDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}
