import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../contracts/pagination.js';
import { CursorField, IntegerQueryField } from './fields.js';

/** Query parameters of every paged list. */
export class PageQueryDto {
  @CursorField()
  cursor?: string;

  @IntegerQueryField({
    optional: true,
    min: 1,
    max: MAX_PAGE_LIMIT,
    description: `Items per page; ${DEFAULT_PAGE_LIMIT} by default`,
  })
  limit?: number;
}
