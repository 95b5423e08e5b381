import {
  IntegerField,
  NestedListField,
  IntegerQueryField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { MAX_POSITION_TIME } from '../contracts/validate-point.js';
import { MAX_VISITS_PERIOD_DAYS } from '../contracts/track.js';
import type { Visit } from '../contracts/visits.js';

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

/** The part of a stay of at least ten minutes that is in the period. */
export class VisitDto implements Visit {
  @UnixMillisecondsField({ description: 'Time of the first point there' })
  from: number;

  @UnixMillisecondsField({ description: 'Time of the last point there' })
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

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last one' })
  nextCursor: string | null;
}
