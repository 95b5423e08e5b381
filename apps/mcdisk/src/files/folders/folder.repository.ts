import { Injectable } from '@nestjs/common';
import { ArrayContains, In, IsNull, type FindOptionsWhere } from 'typeorm';
import { CONTENT_SORT, FOLDER_STATE, SORT_DIRECTION } from '@family-watch/domain/family-cloud/contracts/content';
import { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { ListingOrder } from '../contents/content.repository.js';

/** SQL condition that selects the folder `$2` of the cloud `$1` and the folder's descendants, in any state. */
const SUBTREE_SQL = `cloud_id = $1 AND chain @> ARRAY[$2::uuid]`;

const LOCK_TREE = `SELECT pg_advisory_xact_lock(hashtextextended('mcdisk.catalog:' || $1::text, 0))`;

const MOVE_SUBTREE = `
  UPDATE mcdisk.catalog
     SET chain = $3::uuid[] || chain[array_position(chain, $2::uuid):],
         parent_catalog_id = CASE catalog_id WHEN $2::uuid THEN $4::uuid ELSE parent_catalog_id END,
         state = CASE catalog_id WHEN $2::uuid THEN 'ACTIVE' ELSE state END,
         updated_at = CASE catalog_id WHEN $2::uuid THEN $5 ELSE updated_at END
   WHERE ${SUBTREE_SQL}`;

/** Excludes folders that contain active contents, directly or in descendants. */
const DELETE_EMPTY_FOLDERS = `
  WITH kept AS (
    SELECT DISTINCT unnest(f.chain) AS catalog_id
      FROM mcdisk.catalog f
     WHERE f.${SUBTREE_SQL} AND f.state = 'ACTIVE'
       AND EXISTS (SELECT FROM mcdisk.content c
                    WHERE c.cloud_id = $1 AND c.parent_catalog_id = f.catalog_id AND c.state = 'ACTIVE'))
  UPDATE mcdisk.catalog SET state = 'DELETED', updated_at = $3
   WHERE ${SUBTREE_SQL} AND state = 'ACTIVE' AND catalog_id NOT IN (SELECT catalog_id FROM kept)
  RETURNING catalog_id`;

const DELETE_UNREFERENCED_FOLDERS = `
  DELETE FROM mcdisk.catalog WHERE catalog_id IN (
    SELECT f.catalog_id FROM mcdisk.catalog f
     WHERE f.state = 'DELETED' AND f.updated_at < $1
       AND NOT EXISTS (SELECT FROM mcdisk.catalog child WHERE child.parent_catalog_id = f.catalog_id)
       AND NOT EXISTS (SELECT FROM mcdisk.content c WHERE c.parent_catalog_id = f.catalog_id)
       AND NOT EXISTS (SELECT FROM mcdisk.upload u WHERE u.parent_catalog_id = f.catalog_id)
     ORDER BY f.catalog_id LIMIT $2 FOR UPDATE OF f SKIP LOCKED)
  RETURNING catalog_id`;

const { ACTIVE } = FOLDER_STATE;
/** Folders have no size and are sorted by name when the order is by size. */
const SORT_PROPERTY = {
  [CONTENT_SORT.UPDATE_TIME]: 'updatedAt',
  [CONTENT_SORT.NAME]: 'name',
  [CONTENT_SORT.SIZE]: 'name',
  [CONTENT_SORT.CREATE_TIME]: 'createdAt',
  [CONTENT_SORT.CAPTURE_TIME]: 'createdAt',
} as const;

/**
 * Stores folders. The path in a row is always the parent's path followed by the folder's own id, also for deleted
 * folders. A transaction must lock folders after contents and before uploads and blobs.
 */
@Injectable()
export class FolderRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Locks the folder tree of a cloud, so that changes of the tree are serialized. Without this lock a move would miss
   * folders that a concurrent transaction creates in the subtree. The tree must be locked before any row of a folder.
   */
  async lockTree(cloudId: string): Promise<void> {
    await this.unitOfWork.executor.query(LOCK_TREE, [cloudId]);
  }

  findActive(cloudId: string, folderId: string): Promise<FolderEntity | null> {
    return this.unitOfWork.manager.findOneBy(FolderEntity, { cloudId, folderId, state: ACTIVE });
  }

  /**
   * Locks an active folder for share: until commit the folder cannot be moved or deleted, but other transactions can
   * also lock it for share.
   */
  lockActiveForShare(cloudId: string, folderId: string): Promise<FolderEntity | null> {
    return this.unitOfWork.manager.findOne(FolderEntity, {
      where: { cloudId, folderId, state: ACTIVE },
      lock: { mode: 'pessimistic_read' },
    });
  }

  /** Returns the folders with these ids, in any state and in no particular order. */
  findMany(cloudId: string, folderIds: readonly string[]): Promise<FolderEntity[]> {
    return this.unitOfWork.manager.findBy(FolderEntity, { cloudId, folderId: In([...folderIds]) });
  }

  /** Returns the active folder with this name in the parent folder; names are unique among active folders. */
  findByName(cloudId: string, parentFolderId: string | null, name: string): Promise<FolderEntity | null> {
    return this.unitOfWork.manager.findOneBy(FolderEntity, { ...activeIn(cloudId, parentFolderId), name });
  }

  /** Returns a folder and its active descendants, parents before children. */
  async findTree(cloudId: string, folderId: string): Promise<FolderEntity[]> {
    return this.unitOfWork.manager
      .createQueryBuilder(FolderEntity, 'catalog')
      .where({ cloudId, pathIds: ArrayContains([folderId]), state: ACTIVE })
      .orderBy('cardinality(catalog.pathIds)')
      .addOrderBy('catalog.folderId')
      .getMany();
  }

  async countActive(cloudId: string): Promise<number> {
    return this.unitOfWork.manager.countBy(FolderEntity, { cloudId, state: ACTIVE });
  }

  async insert(folder: FolderEntity): Promise<void> {
    await this.unitOfWork.manager.insert(FolderEntity, folder);
  }

  async rename(cloudId: string, folderId: string, changes: { name: string; updatedAt: number }): Promise<void> {
    await this.unitOfWork.manager.update(FolderEntity, { cloudId, folderId }, changes);
  }

  /** Locks a folder and its descendants. Rows are locked in id order, so that concurrent callers do not deadlock. */
  async lockSubtree(cloudId: string, folderId: string): Promise<void> {
    await this.unitOfWork.manager.find(FolderEntity, {
      select: { folderId: true },
      where: { cloudId, pathIds: ArrayContains([folderId]) },
      order: { folderId: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * Moves a folder with its descendants and makes the folder active. The caller must have locked the rows of the folder
   * and its descendants.
   */
  async moveSubtree(
    cloudId: string,
    folderId: string,
    target: { folderId: string | null; pathIds: readonly string[] },
    now: number,
  ): Promise<void> {
    await this.unitOfWork.executor.query(MOVE_SUBTREE, [cloudId, folderId, target.pathIds, target.folderId, now]);
  }

  /**
   * Marks the folders of a subtree that contain no active contents as deleted and returns their ids. The caller must
   * have locked the rows of the subtree.
   */
  async deleteEmpty(cloudId: string, folderId: string, now: number): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ catalog_id: string }>(DELETE_EMPTY_FOLDERS, [
      cloudId,
      folderId,
      now,
    ]);
    return rows.map(({ catalog_id }) => catalog_id);
  }

  /**
   * Deletes the rows of deleted folders that are no longer referenced, in all clouds.
   * @param before Unix milliseconds; the rows of folders that were deleted later stay
   * @returns the number of deleted rows, at most `limit`; nested folders need several calls
   */
  async deleteUnreferenced(before: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(DELETE_UNREFERENCED_FOLDERS, [before, limit]);
    return rows.length;
  }

  /**
   * Returns one page of the active folders in a folder.
   * @param parentFolderId the parent folder, `null` for the root
   */
  findPage(cloudId: string, parentFolderId: string | null, order: ListingOrder): Promise<FolderEntity[]> {
    const isAscending = order.direction === SORT_DIRECTION.ASCENDING;
    return this.unitOfWork.manager.find(FolderEntity, {
      where: activeIn(cloudId, parentFolderId),
      order: { [SORT_PROPERTY[order.sort]]: isAscending ? 'ASC' : 'DESC', folderId: isAscending ? 'DESC' : 'ASC' },
      take: order.limit,
      skip: order.offset,
    });
  }

  count(cloudId: string, parentFolderId: string | null): Promise<number> {
    return this.unitOfWork.manager.countBy(FolderEntity, activeIn(cloudId, parentFolderId));
  }
}

function activeIn(cloudId: string, parentFolderId: string | null): FindOptionsWhere<FolderEntity> {
  return { cloudId, parentFolderId: parentFolderId ?? IsNull(), state: ACTIVE };
}
