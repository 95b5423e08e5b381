import { ApiProperty } from '@nestjs/swagger';
import {
  Nested,
  NestedList,
  QueryFlag,
  QueryInteger,
  Reference,
  Text,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { MAX_POSITION_TIME } from '../contracts/check-point.js';
import { SIMPLIFIED_PERIOD, SIMPLIFY_TOLERANCE } from '../contracts/track.js';
import { POINT_FLAG } from '../contracts/point-flag.js';
import type { PointFlag } from '../contracts/point-flag.js';
import { LocationPointDto } from './location-point.dto.js';

export class LocationQueryDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;
}

export class TrackQueryDto extends PageQueryDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @QueryInteger({ min: 0, max: MAX_POSITION_TIME, description: 'Unix milliseconds, inclusive' })
  from: number;

  @QueryInteger({ min: 0, max: MAX_POSITION_TIME, description: 'Unix milliseconds, exclusive' })
  to: number;

  @QueryInteger({
    ...{ optional: true, min: SIMPLIFY_TOLERANCE.MIN, max: SIMPLIFY_TOLERANCE.MAX, example: 20 },
    description:
      'Leaves out points that lie within so many metres of the line through the others, except doubtful ones; ' +
      `for a period of at most ${SIMPLIFIED_PERIOD.HOURS} hours and ${SIMPLIFIED_PERIOD.POINTS} points`,
  })
  simplify?: number;

  @QueryFlag({ optional: true, description: 'Leaves out points of the future, of an impossible speed, reported wrong' })
  credibleOnly?: boolean;
}

/** A stored point with what is doubtful about it. */
export class StoredPointDto extends LocationPointDto {
  @ApiProperty({ enum: Object.values(POINT_FLAG), isArray: true })
  flags: PointFlag[];

  @UnixMilliseconds({ description: 'When the point arrived' })
  receivedAt: number;
}

export class LastLocationDto {
  @Nested(() => StoredPointDto, { nullable: true, description: 'Null while the child has been nowhere' })
  location: StoredPointDto | null;
}

export class TrackDto {
  @NestedList(() => StoredPointDto, { maxItems: MAX_PAGE_LIMIT, description: 'In order of their time' })
  items: StoredPointDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
