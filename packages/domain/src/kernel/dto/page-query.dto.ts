import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../contracts/pagination.js';
import { IntegerQueryField, StringField } from './fields.js';

/** Query parameters of every paged list. */
export class PageQueryDto {
  @StringField({ optional: true, maxLength: 512, description: '`nextCursor` of the previous page' })
  cursor?: string;

  @IntegerQueryField({
    optional: true,
    min: 1,
    max: MAX_PAGE_LIMIT,
    description: `Items per page; ${DEFAULT_PAGE_LIMIT} by default`,
  })
  limit?: number;
}
