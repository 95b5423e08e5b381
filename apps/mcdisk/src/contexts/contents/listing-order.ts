import { CONTENT_SORT, SORT_DIRECTION } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentSort, SortDirection } from '@family-watch/domain/family-cloud/contracts/content';

/** How a list is sorted, and which part of it is wanted. */
export interface ListingOrder {
  sort: ContentSort;
  direction: SortDirection;
  limit: number;
  offset: number;
}

/** A column of each order, and what decides between equals. */
interface OrderColumns {
  columns: Readonly<Record<ContentSort, string>>;
  id: string;
}

/**
 * What `ORDER BY` says, as the index of the newest stands: the folder first, since PostgreSQL does not see that
 * `IS NULL` leaves nothing to sort by, and ids against the direction.
 */
export function orderBySql(
  { columns, id }: OrderColumns,
  { sort, direction }: Omit<ListingOrder, 'limit' | 'offset'>,
): string {
  const [along, against] = direction === SORT_DIRECTION.ASCENDING ? ['ASC', 'DESC'] : ['DESC', 'ASC'];
  return `parent_catalog_id ${against}, ${columns[sort]} ${along}, ${id} ${against}`;
}

export const CONTENT_ORDER: OrderColumns = {
  columns: {
    [CONTENT_SORT.UPDATE_TIME]: 'updated_at',
    [CONTENT_SORT.NAME]: 'name',
    [CONTENT_SORT.SIZE]: 'size',
    [CONTENT_SORT.CREATE_TIME]: 'created_at',
  },
  id: 'content_id',
};

/** A folder has no size. */
export const FOLDER_ORDER: OrderColumns = {
  columns: { ...CONTENT_ORDER.columns, [CONTENT_SORT.SIZE]: 'name' },
  id: 'catalog_id',
};
