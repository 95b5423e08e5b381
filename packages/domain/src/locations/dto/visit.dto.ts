import { Integer, NestedList, QueryInteger, Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { MAX_POSITION_TIME } from '../contracts/check-point.js';
import { VISITS_PERIOD } from '../contracts/track.js';
import type { Visit } from '../contracts/visits.js';

export class VisitsQueryDto extends PageQueryDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @QueryInteger({ min: 0, max: MAX_POSITION_TIME, description: 'Unix milliseconds, inclusive' })
  from: number;

  @QueryInteger({
    ...{ min: 0, max: MAX_POSITION_TIME },
    description: `Unix milliseconds, exclusive; at most ${VISITS_PERIOD} days after`,
  })
  to: number;
}

/** A stay of at least ten minutes, as far as it lies in the period. */
export class VisitDto implements Visit {
  @UnixMilliseconds({ description: 'The first point there' })
  from: number;

  @UnixMilliseconds({ description: 'The last point there' })
  to: number;

  @Text({ example: '31.230416', description: 'Degrees, the middle of the place' })
  latitude: string;

  @Text({ example: '121.473701', description: 'Degrees, the middle of the place' })
  longitude: string;

  @Integer({ min: 0, example: 40, description: 'Metres around the middle in which the points of the stay lie' })
  radius: number;
}

export class VisitsDto {
  @NestedList(() => VisitDto, { maxItems: MAX_PAGE_LIMIT, description: 'In order of their time' })
  items: VisitDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
