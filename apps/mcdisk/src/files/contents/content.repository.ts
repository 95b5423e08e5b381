import { Injectable } from '@nestjs/common';
import { Any, MoreThan } from 'typeorm';
import {
  CONTENT_STATE,
  RECYCLE_BIN_RETENTION_MS,
  CONTENT_SORT,
  SORT_DIRECTION,
  type ContentSort,
  type SortDirection,
} from '@family-watch/domain/family-cloud/contracts/content';
import { ContentEntity, FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import {
  CONTENT_DIGEST_PAGE_SIZE,
  CONTENT_ID_PAGE_SIZE,
  contentDigestSql,
  type ContentDigest,
  type ContentSource,
} from '@family-watch/domain/kernel/contracts/snapshot-source';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { visibilityParameters, visibilityCondition } from '../../clouds/visibility-condition.js';
import { PRESENTED_COLUMNS, type PresentedContent } from '../../clouds/content-columns.js';
import type { FolderPath } from '../folders/folder-path.js';
import { prepared, type PreparedStatement } from '@family-watch/domain/kernel/contracts/transaction-scope';

/** Selects the visible contents of one folder. */
export interface ListedFolder {
  cloudId: string;
  /** Id of the folder, or `null` for the root. */
  parentFolderId: string | null;
  visibility: Visibility;
  /** Selects only the contents with these bytes: SHA-256 in lower-case hexadecimal. */
  digest?: string | undefined;
}

/** Sort order and page of a list. */
export interface ListingOrder {
  sort: ContentSort;
  direction: SortDirection;
  limit: number;
  offset: number;
}

/** The column or expression for each sort order. */
const SORT_COLUMN: Readonly<Record<ContentSort, string>> = {
  [CONTENT_SORT.UPDATE_TIME]: 'updated_at',
  [CONTENT_SORT.NAME]: 'name',
  [CONTENT_SORT.SIZE]: 'size',
  [CONTENT_SORT.CREATE_TIME]: 'created_at',
  [CONTENT_SORT.CAPTURE_TIME]: 'coalesce(shot_at, created_at)',
};

const LIST_DIGESTS = `
  SELECT cloud_id AS "cloudId", count(content_id)::int AS count, ${contentDigestSql('content_id::text')} AS digest
    FROM (SELECT cloud_id FROM mcdisk.family_cloud
           WHERE $1::text IS NULL OR cloud_id > $1 ORDER BY cloud_id LIMIT $2) AS page
    LEFT JOIN (SELECT cloud_id, content_id FROM mcdisk.content WHERE state = 'ACTIVE') AS content USING (cloud_id)
   GROUP BY cloud_id ORDER BY cloud_id`;

/**
 * Finds contents, locks them in id order and updates them in one statement, to save a round trip. The lock is a
 * separate subquery because an UPDATE locks rows in an order that depends on its plan.
 */
const RECYCLE_VISIBLE = prepared(`
  WITH requested AS MATERIALIZED (
    SELECT content_id, cid, size, state, state = 'ACTIVE' AND ${visibilityCondition('cid', 5)} AS is_recyclable
      FROM mcdisk.content
     WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[]) ORDER BY content_id FOR NO KEY UPDATE
  ), recycled AS (
    UPDATE mcdisk.content c SET state = 'RECYCLED', updated_at = $3, recycled_at = $3, purge_at = $4
      FROM requested WHERE c.content_id = requested.content_id AND requested.is_recyclable
  )
  SELECT content_id AS "contentId", cid, size, state FROM requested`);

const PURGE_CONTENTS = prepared(`
  UPDATE mcdisk.content
     SET state = 'PURGED', blob_key = NULL, name = '', digest = '', shot_at = NULL, updated_at = $2, purge_at = NULL
   WHERE content_id = ANY ($1::uuid[])`);

/** A prepared statement and its parameters. */
interface PreparedQuery {
  statement: PreparedStatement;
  parameters: unknown[];
}

/** Returns the statement for one page of the active contents of a folder, in an order that is stable across pages. */
function listContentsSql(folder: ListedFolder, order: ListingOrder): PreparedQuery {
  const { condition, parameters } = conditionOf(folder);
  const [limit, offset] = [parameters.length + 1, parameters.length + 2];
  const page = `FROM mcdisk.content WHERE ${condition}
    ORDER BY ${orderBySql(order)} LIMIT $${limit}::bigint OFFSET $${offset}::bigint`;
  return {
    statement: prepared(order.offset === 0 ? `SELECT ${PRESENTED_COLUMNS} ${page}` : laterPageSql(page, order)),
    parameters: [...parameters, order.limit, order.offset],
  };
}

function countContentsSql(folder: ListedFolder): PreparedQuery {
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
function conditionOf({ cloudId, parentFolderId, visibility, digest }: ListedFolder): {
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
  if (digest !== undefined) {
    parameters.push(digest);
    conditions.push(`digest = $${parameters.length}`);
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

const { ACTIVE, RECYCLED } = CONTENT_STATE;

/** The columns of a content that a change of state needs. */
export type LockedContent = Pick<
  ContentEntity,
  'contentId' | 'cloudId' | 'parentFolderId' | 'cid' | 'blobKey' | 'size' | 'state'
>;

/** A content before `recycleVisible` changed it. */
export type FoundContent = Pick<LockedContent, 'contentId' | 'cid' | 'size' | 'state'>;

/** Stores contents and changes their states: active, recycled, purged. */
@Injectable()
export class ContentRepository implements ContentSource {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  async findActive(cloudId: string, contentId: string): Promise<ContentEntity | null> {
    return this.unitOfWork.manager.findOneBy(ContentEntity, { cloudId, contentId, state: ACTIVE });
  }

  /** Locks an active content until commit. */
  lockActive(cloudId: string, contentId: string): Promise<ContentEntity | null> {
    return this.unitOfWork.manager.findOne(ContentEntity, {
      where: { cloudId, contentId, state: ACTIVE },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Updates the fields that callers may change. Must be called in the transaction that locked the content. */
  async update(
    cloudId: string,
    contentId: string,
    changes: Pick<ContentEntity, 'name' | 'capturedAt' | 'updatedAt'>,
  ): Promise<void> {
    await this.unitOfWork.manager.update(ContentEntity, { cloudId, contentId }, changes);
  }

  /**
   * Locks the contents of the cloud with these ids, in any state and in id order.
   * @param contentIds in UUID form
   */
  async lock(cloudId: string, contentIds: readonly string[]): Promise<LockedContent[]> {
    return this.unitOfWork.manager.find(ContentEntity, {
      select: {
        contentId: true,
        cloudId: true,
        parentFolderId: true,
        cid: true,
        blobKey: true,
        size: true,
        state: true,
      },
      where: { cloudId, contentId: Any(contentIds) },
      order: { contentId: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * Returns the path of each folder. Paths are read in a separate statement, because a statement that waits for a
   * content's lock still sees the former folder of this content.
   */
  async findPaths(cloudId: string, folderIds: readonly string[]): Promise<Map<string, FolderPath>> {
    const rows = await this.unitOfWork.manager.find(FolderEntity, {
      select: { folderId: true, pathIds: true },
      where: { cloudId, folderId: Any(folderIds) },
    });
    return new Map(rows.map(({ folderId, pathIds }) => [folderId, pathIds]));
  }

  /**
   * Locks the contents of the cloud with these ids, in any state and in id order, and moves the active and visible ones
   * to the recycle bin.
   * @param contentIds in UUID form
   * @returns all locked contents as they were before the update
   */
  async recycleVisible(
    cloudId: string,
    contentIds: readonly string[],
    { visibility, now }: { visibility: Visibility; now: number },
  ): Promise<FoundContent[]> {
    return this.unitOfWork.executor.query<FoundContent>(RECYCLE_VISIBLE, [
      cloudId,
      uuidArray(contentIds),
      now,
      now + RECYCLE_BIN_RETENTION_MS,
      ...visibilityParameters(visibility),
    ]);
  }

  /** Moves active contents to the recycle bin. Must be called in the transaction that locked the contents. */
  async recycle(cloudId: string, contentIds: readonly string[], now: number): Promise<void> {
    const changes = { state: RECYCLED, updatedAt: now, recycledAt: now, purgeAt: now + RECYCLE_BIN_RETENTION_MS };
    await this.unitOfWork.manager.update(ContentEntity, { cloudId, contentId: Any(contentIds) }, changes);
  }

  /** Restores recycled contents to one folder. Must be called in the transaction that locked the contents. */
  async restore(
    cloudId: string,
    contentIds: readonly string[],
    { parentFolderId, now }: { parentFolderId: string | null; now: number },
  ): Promise<void> {
    const changes = { state: ACTIVE, parentFolderId, updatedAt: now, recycledAt: null, purgeAt: null };
    await this.unitOfWork.manager.update(ContentEntity, { cloudId, contentId: Any(contentIds) }, changes);
  }

  /**
   * Purges recycled contents of any cloud: clears blob, name and digest. The ids of purged contents stay, so that a
   * repeated deletion or purge has the same result. Must be called in the transaction that locked the contents.
   */
  async purge(contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.executor.query(PURGE_CONTENTS, [uuidArray(contentIds), now]);
  }

  listDigests(after: string | null): Promise<ContentDigest[]> {
    return this.unitOfWork.executor.query<ContentDigest>(LIST_DIGESTS, [after, CONTENT_DIGEST_PAGE_SIZE]);
  }

  async listIds(cloudId: string, after: string | null): Promise<string[]> {
    const rows = await this.unitOfWork.manager
      .createQueryBuilder(ContentEntity, 'content')
      .select('content.contentId', 'id')
      .where({ cloudId, state: ACTIVE, ...(after !== null && { contentId: MoreThan(after) }) })
      .orderBy('content.contentId')
      .limit(CONTENT_ID_PAGE_SIZE)
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /** Returns one page of the active contents of a folder, in an order that is stable across pages. */
  findPage(folder: ListedFolder, order: ListingOrder): Promise<PresentedContent[]> {
    const { statement, parameters } = listContentsSql(folder, order);
    return this.unitOfWork.executor.query<PresentedContent>(statement, parameters);
  }

  async count(folder: ListedFolder): Promise<number> {
    const { statement, parameters } = countContentsSql(folder);
    const [row] = await this.unitOfWork.executor.query<{ count: number }>(statement, parameters);
    return row?.count ?? 0;
  }
}
