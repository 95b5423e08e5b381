import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { Visibility } from '../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../clouds/visibility-sql.js';
import type { PresentedContent } from './content-presenter.service.js';
import { CONTENT_ORDER, orderBySql } from './listing-order.js';
import type { ListingOrder } from './listing-order.js';

/** Which contents a list is about: those of one folder that somebody may see. */
export interface ListedFolder {
  cloudId: string;
  /** `null`: the root catalog. */
  parentFolderId: string | null;
  sight: Visibility;
}

const COLUMNS = `content_id AS "contentId", parent_catalog_id AS "parentFolderId", blob_key AS "blobKey", name, size,
  digest, type, uploader, state, created_at AS "createdAt", updated_at AS "updatedAt", shot_at AS "capturedAt"`;

/** Lists of contents; among a million of them the newest of a folder are found by one look into the index. */
@Injectable()
export class ContentListingRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** One page of the active contents of a folder, in an order that stands from page to page. */
  findPage(folder: ListedFolder, order: ListingOrder): Promise<PresentedContent[]> {
    const { condition, parameters } = within(folder);
    const [limit, offset] = [parameters.length + 1, parameters.length + 2];
    const page = `FROM mcdisk.content WHERE ${condition}
      ORDER BY ${orderBySql(CONTENT_ORDER, order)} LIMIT $${limit}::bigint OFFSET $${offset}::bigint`;
    return this.unitOfWork.prepared.query<PresentedContent>(
      order.offset === 0 ? `SELECT ${COLUMNS} ${page}` : laterPage(page, order),
      [...parameters, order.limit, order.offset],
    );
  }

  async count(folder: ListedFolder): Promise<number> {
    const { condition, parameters } = within(folder);
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(
      `SELECT count(*) AS count FROM mcdisk.content WHERE ${condition}`,
      parameters,
    );
    return row?.count ?? 0;
  }
}

/** What is skipped is looked at in the index only. `OFFSET 0` keeps the planner from reading the whole table instead. */
function laterPage(page: string, order: ListingOrder): string {
  return `SELECT ${COLUMNS} FROM (SELECT content_id AS listed_id ${page}) AS page,
    LATERAL (SELECT * FROM mcdisk.content WHERE content_id = page.listed_id OFFSET 0) AS content
    ORDER BY ${orderBySql(CONTENT_ORDER, order)}`;
}

/** Whoever sees everything is not asked about every row: the index alone then has what is counted. */
function within({ cloudId, parentFolderId, sight }: ListedFolder): { condition: string; parameters: unknown[] } {
  const root = parentFolderId === null;
  const parameters: unknown[] = root ? [cloudId] : [cloudId, parentFolderId];
  const parts = [`cloud_id = $1`, `parent_catalog_id ${root ? 'IS NULL' : '= $2'}`, `state = 'ACTIVE'`];
  const seesAll = sight.mode === 'ALL_BUT' && sight.cids.length === 0;
  if (!seesAll) {
    parts.push(visibilityCondition('cid', parameters.length + 1));
    parameters.push(...visibilityParameters(sight));
  }
  return { condition: parts.join(' AND '), parameters };
}
