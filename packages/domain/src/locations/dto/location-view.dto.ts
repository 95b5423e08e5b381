import { ApiProperty } from '@nestjs/swagger';
import {
  NestedField,
  NestedListField,
  BooleanQueryField,
  IntegerQueryField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { MAX_POSITION_TIME } from '../contracts/validate-point.js';
import { MAX_SIMPLIFIED_PERIOD, SIMPLIFY_TOLERANCE_METRES } from '../contracts/track.js';
import { POINT_FLAG } from '../contracts/point-flag.js';
import type { PointFlag } from '../contracts/point-flag.js';
import { LocationPointDto } from './location-point.dto.js';

export class LocationQueryDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;
}

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
      'Leaves out points that lie within so many metres of the line through the others, except doubtful ones; ' +
      `for a period of at most ${MAX_SIMPLIFIED_PERIOD.HOURS} hours and ${MAX_SIMPLIFIED_PERIOD.POINTS} points`,
  })
  simplify?: number;

  @BooleanQueryField({
    optional: true,
    description: 'Leaves out points of the future, of an impossible speed, reported wrong',
  })
  credibleOnly?: boolean;
}

/** A stored point with what is doubtful about it. */
export class StoredPointDto extends LocationPointDto {
  @ApiProperty({ enum: Object.values(POINT_FLAG), isArray: true })
  flags: PointFlag[];

  @UnixMillisecondsField({ description: 'When the point arrived' })
  receivedAt: number;
}

export class LastLocationDto {
  @NestedField(() => StoredPointDto, { nullable: true, description: 'Null while the child has been nowhere' })
  location: StoredPointDto | null;
}

export class TrackDto {
  @NestedListField(() => StoredPointDto, { maxItems: MAX_PAGE_LIMIT, description: 'In order of their time' })
  items: StoredPointDto[];

  @StringField({ nullable: true })
  nextCursor: string | null;
}
