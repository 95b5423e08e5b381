import { Injectable } from '@nestjs/common';
import { CONTENT_SORT, SORT_DIRECTION } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentSort, SortDirection } from '@family-watch/domain/family-cloud/contracts/content';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { PRESENTED_COLUMNS, visibilityCondition, visibilityParameters } from '../../clouds/clouds.sql.js';
import type { PresentedContent } from '../../clouds/clouds.sql.js';

/** Selects the visible contents of one folder. */
export interface ListedFolder {
  cloudId: string;
  /** Id of the folder, or `null` for the root. */
  parentFolderId: string | null;
  visibility: Visibility;
}

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

/** Lists contents. One index scan finds the newest contents of a folder, even when the table has a million rows. */
@Injectable()
export class ContentListingRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Returns one page of the active contents of a folder, in an order that is stable across pages. */
  findPage(folder: ListedFolder, order: ListingOrder): Promise<PresentedContent[]> {
    const { condition, parameters } = conditionOf(folder);
    const [limit, offset] = [parameters.length + 1, parameters.length + 2];
    const page = `FROM mcdisk.content WHERE ${condition}
      ORDER BY ${orderBySql(CONTENT_ORDER, order)} LIMIT $${limit}::bigint OFFSET $${offset}::bigint`;
    return this.unitOfWork.prepared.query<PresentedContent>(
      order.offset === 0 ? `SELECT ${PRESENTED_COLUMNS} ${page}` : laterPageSql(page, order),
      [...parameters, order.limit, order.offset],
    );
  }

  async count(folder: ListedFolder): Promise<number> {
    const { condition, parameters } = conditionOf(folder);
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(
      `SELECT count(*) AS count FROM mcdisk.content WHERE ${condition}`,
      parameters,
    );
    return row?.count ?? 0;
  }
}

/**
 * Returns the SQL statement for a page after the first page. The statement skips the rows of earlier pages with an
 * index-only scan. `OFFSET 0` in the subquery prevents the planner from choosing a scan of the whole table.
 */
function laterPageSql(page: string, order: ListingOrder): string {
  return `SELECT ${PRESENTED_COLUMNS} FROM (SELECT content_id AS listed_id ${page}) AS page,
    LATERAL (SELECT * FROM mcdisk.content WHERE content_id = page.listed_id OFFSET 0) AS content
    ORDER BY ${orderBySql(CONTENT_ORDER, order)}`;
}

/**
 * Returns the SQL condition for the contents of the listed folder. Omits the visibility when all contents are visible,
 * so that an index-only scan can count the contents.
 */
function conditionOf({ cloudId, parentFolderId, visibility }: ListedFolder): {
  condition: string;
  parameters: unknown[];
} {
  const root = parentFolderId === null;
  const parameters: unknown[] = root ? [cloudId] : [cloudId, parentFolderId];
  const conditions = [`cloud_id = $1`, `parent_catalog_id ${root ? 'IS NULL' : '= $2'}`, `state = 'ACTIVE'`];
  const seesAll = visibility.mode === 'ALL_BUT' && visibility.cids.length === 0;
  if (!seesAll) {
    conditions.push(visibilityCondition('cid', parameters.length + 1));
    parameters.push(...visibilityParameters(visibility));
  }
  return { condition: conditions.join(' AND '), parameters };
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
