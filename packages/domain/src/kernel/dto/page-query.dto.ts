import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../contracts/pagination.js';
import { QueryInteger, Text } from './fields.js';

/** `cursor` and `limit` of every list (conventions of the API). */
export class PageQueryDto {
  @Text({ optional: true, maxLength: 512, description: 'nextCursor of the page before' })
  cursor?: string;

  @QueryInteger({
    optional: true,
    min: 1,
    max: MAX_PAGE_LIMIT,
    description: `Items a page, ${DEFAULT_PAGE_LIMIT} by default`,
  })
  limit?: number;
}
