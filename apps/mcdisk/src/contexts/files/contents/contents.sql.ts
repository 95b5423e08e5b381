import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { PreparedStatement } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { contentDigestSql } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { CONTENT_SORT, SORT_DIRECTION } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentSort, SortDirection } from '@family-watch/domain/family-cloud/contracts/content';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { PRESENTED_COLUMNS } from '../../clouds/content-columns.js';
import { visibilityCondition, visibilityParameters } from '../../clouds/visibility-condition.js';

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

/** The column for each sort order. */
const SORT_COLUMN: Readonly<Record<ContentSort, string>> = {
  [CONTENT_SORT.UPDATE_TIME]: 'updated_at',
  [CONTENT_SORT.NAME]: 'name',
  [CONTENT_SORT.SIZE]: 'size',
  [CONTENT_SORT.CREATE_TIME]: 'created_at',
};

/** Raw SQL: aggregates a page of clouds that may have no contents. */
export const LIST_DIGESTS = `
  SELECT cloud_id AS "cloudId", count(content_id)::int AS count, ${contentDigestSql('content_id::text')} AS digest
    FROM (SELECT cloud_id FROM mcdisk.family_cloud
           WHERE $1::text IS NULL OR cloud_id > $1 ORDER BY cloud_id LIMIT $2) AS page
    LEFT JOIN (SELECT cloud_id, content_id FROM mcdisk.content WHERE state = 'ACTIVE') AS content USING (cloud_id)
   GROUP BY cloud_id ORDER BY cloud_id`;

/**
 * Raw SQL: finds contents, locks them in id order and updates them in one statement, to save a round trip. The lock is
 * a separate subquery because an UPDATE locks rows in an order that depends on its plan.
 */
export const RECYCLE_VISIBLE = prepared(`
  WITH requested AS MATERIALIZED (
    SELECT content_id, cid, size, state, state = 'ACTIVE' AND ${visibilityCondition('cid', 5)} AS is_recyclable
      FROM mcdisk.content
     WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[]) ORDER BY content_id FOR NO KEY UPDATE
  ), recycled AS (
    UPDATE mcdisk.content c SET state = 'RECYCLED', updated_at = $3, recycled_at = $3, purge_at = $4
      FROM requested WHERE c.content_id = requested.content_id AND requested.is_recyclable
  )
  SELECT content_id AS "contentId", cid, size, state FROM requested`);

/** Raw SQL, because it is prepared: each batch of purged contents executes it. */
export const PURGE_CONTENTS = prepared(`
  UPDATE mcdisk.content
     SET state = 'PURGED', blob_key = NULL, name = '', digest = '', shot_at = NULL, updated_at = $2, purge_at = NULL
   WHERE content_id = ANY ($1::uuid[])`);

/** A prepared statement and its parameters. */
interface PreparedQuery {
  statement: PreparedStatement;
  parameters: unknown[];
}

/**
 * Returns the statement for one page of the active contents of a folder, in an order that is stable across pages. Raw
 * because of the condition of visibility and the subquery of later pages. Prepared, because each list of a folder
 * executes it.
 */
export function listContentsSql(folder: ListedFolder, order: ListingOrder): PreparedQuery {
  const { condition, parameters } = conditionOf(folder);
  const [limit, offset] = [parameters.length + 1, parameters.length + 2];
  const page = `FROM mcdisk.content WHERE ${condition}
    ORDER BY ${orderBySql(order)} LIMIT $${limit}::bigint OFFSET $${offset}::bigint`;
  return {
    statement: prepared(order.offset === 0 ? `SELECT ${PRESENTED_COLUMNS} ${page}` : laterPageSql(page, order)),
    parameters: [...parameters, order.limit, order.offset],
  };
}

/** Raw SQL: contains the SQL condition of visibility. Prepared like {@link listContentsSql}. */
export function countContentsSql(folder: ListedFolder): PreparedQuery {
  const { condition, parameters } = conditionOf(folder);
  return { statement: prepared(`SELECT count(*) AS count FROM mcdisk.content WHERE ${condition}`), parameters };
}

/**
 * Returns the SQL statement for a page after the first page. The statement skips the rows of earlier pages with an
 * index-only scan. `OFFSET 0` in the subquery prevents the planner from choosing a scan of the whole table.
 */
function laterPageSql(page: string, order: ListingOrder): string {
  return `SELECT ${PRESENTED_COLUMNS} FROM (SELECT content_id AS listed_id ${page}) AS page,
    LATERAL (SELECT * FROM mcdisk.content WHERE content_id = page.listed_id OFFSET 0) AS content
    ORDER BY ${orderBySql(order)}`;
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
function orderBySql({ sort, direction }: ListingOrder): string {
  const [forward, backward] = direction === SORT_DIRECTION.ASCENDING ? ['ASC', 'DESC'] : ['DESC', 'ASC'];
  return `parent_catalog_id ${backward}, ${SORT_COLUMN[sort]} ${forward}, content_id ${backward}`;
}
