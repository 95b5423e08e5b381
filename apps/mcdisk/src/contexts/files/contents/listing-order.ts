import { CONTENT_SORT, SORT_DIRECTION } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentSort, SortDirection } from '@family-watch/domain/family-cloud/contracts/content';

/** Sort order and page of a list. */
export interface ListingOrder {
  sort: ContentSort;
  direction: SortDirection;
  limit: number;
  offset: number;
}

/** The column for each sort order, and the column `id` that orders rows with equal values. */
interface OrderColumns {
  columns: Readonly<Record<ContentSort, string>>;
  id: string;
}

/**
 * Returns an `ORDER BY` list that matches the index of the newest contents. The folder is the first column, because
 * PostgreSQL does not infer from `IS NULL` that all rows have the same folder. The ids have the direction opposite to
 * the sort column, as in the index.
 */
export function orderBySql(
  { columns, id }: OrderColumns,
  { sort, direction }: Omit<ListingOrder, 'limit' | 'offset'>,
): string {
  const [forward, backward] = direction === SORT_DIRECTION.ASCENDING ? ['ASC', 'DESC'] : ['DESC', 'ASC'];
  return `parent_catalog_id ${backward}, ${columns[sort]} ${forward}, ${id} ${backward}`;
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

/** Folders have no size and are sorted by name when the order is by size. */
export const FOLDER_ORDER: OrderColumns = {
  columns: { ...CONTENT_ORDER.columns, [CONTENT_SORT.SIZE]: 'name' },
  id: 'catalog_id',
};
