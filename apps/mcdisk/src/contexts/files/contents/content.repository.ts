import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Any, MoreThan } from 'typeorm';
import {
  CONTENT_STATE,
  RECYCLE_BIN_RETENTION_MS,
  CONTENT_SORT,
  SORT_DIRECTION,
} from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState, ContentSort, SortDirection } from '@family-watch/domain/family-cloud/contracts/content';
import { ContentEntity, FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import { CONTENT_DIGEST_PAGE_SIZE, CONTENT_ID_PAGE_SIZE } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { ContentDigest, ContentSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { visibilityParameters, PRESENTED_COLUMNS, visibilityCondition } from '../../clouds/clouds.sql.js';
import type { PresentedContent } from '../../clouds/clouds.sql.js';
import type { FolderPath } from '../folders/folder-path.js';
import { LIST_DIGESTS, RECYCLE_VISIBLE } from './contents.sql.js';

const { ACTIVE, RECYCLED, PURGED } = CONTENT_STATE;

/** The columns of a content that a change of state needs. */
export interface LockedContent {
  contentId: string;
  cloudId: string;
  parentFolderId: string | null;
  cid: string | null;
  /** Key of the content's blob, or `null` after the content was purged. */
  blobKey: string | null;
  /** Bytes. */
  size: number;
  state: ContentState;
}

/** A content before `recycleVisible` changed it. */
export type FoundContent = Pick<LockedContent, 'contentId' | 'cid' | 'size' | 'state'>;

/** Number of hex digits of an id that are derived from its cloud. */
const CLOUD_PREFIX_LENGTH = 8;

/**
 * Generates the id of a new content: random, with a prefix that all contents of a cloud share. With this prefix,
 * contents that a family reads and deletes together are adjacent in the index of ids and not on many different pages.
 */
export function newContentId(cloudId: string): string {
  return (
    createHash('sha256').update(cloudId).digest('hex').slice(0, CLOUD_PREFIX_LENGTH) +
    randomUUID().slice(CLOUD_PREFIX_LENGTH)
  );
}

/** Returns a SQL expression that generates ids like `newContentId`, from a SQL expression of the cloud id as text. */
export function newContentIdSql(cloudId: string): string {
  return `(left(encode(sha256(convert_to(${cloudId}, 'UTF8')), 'hex'), ${CLOUD_PREFIX_LENGTH})
           || substr(gen_random_uuid()::text, ${CLOUD_PREFIX_LENGTH + 1}))::uuid`;
}

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

const CONTENT_ORDER: OrderColumns = {
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
    return this.unitOfWork.prepared.query<FoundContent>(RECYCLE_VISIBLE, [
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
    const cleared = { blobKey: null, name: '', digest: '', capturedAt: null, purgeAt: null };
    const changes = { ...cleared, state: PURGED, updatedAt: now };
    await this.unitOfWork.manager.update(ContentEntity, { contentId: Any(contentIds) }, changes);
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
