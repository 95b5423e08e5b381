import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../../clouds/clouds.sql.js';
import type { PresentedContent } from './content-presenter.service.js';
import { CONTENT_ORDER, orderBySql } from './listing-order.js';
import type { ListingOrder } from './listing-order.js';

/** Selects the visible contents of one folder. */
export interface ListedFolder {
  cloudId: string;
  /** Id of the folder, or `null` for the root. */
  parentFolderId: string | null;
  visibility: Visibility;
}

const CONTENT_COLUMNS = `content_id AS "contentId", parent_catalog_id AS "parentFolderId", blob_key AS "blobKey", name, size,
  digest, type, uploader, state, created_at AS "createdAt", updated_at AS "updatedAt", shot_at AS "capturedAt"`;

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
      order.offset === 0 ? `SELECT ${CONTENT_COLUMNS} ${page}` : laterPageSql(page, order),
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
  return `SELECT ${CONTENT_COLUMNS} FROM (SELECT content_id AS listed_id ${page}) AS page,
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
