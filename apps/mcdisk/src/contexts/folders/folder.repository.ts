import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { FOLDER_STATE } from '@family-watch/domain/family-cloud/contracts/folder';
import { FolderEntity } from '@family-watch/domain/family-cloud/entities/folder.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

const { ACTIVE } = FOLDER_STATE;

/** A folder and all below it, whatever their state: `$1` the cloud, `$2` the folder. */
const BELOW = `cloud_id = $1 AND chain @> ARRAY[$2::uuid]`;

const REPLANT = `
  UPDATE mcdisk.catalog
     SET chain = $3::uuid[] || chain[array_position(chain, $2::uuid):],
         parent_catalog_id = CASE catalog_id WHEN $2::uuid THEN $4::uuid ELSE parent_catalog_id END,
         state = CASE catalog_id WHEN $2::uuid THEN 'ACTIVE' ELSE state END,
         updated_at = CASE catalog_id WHEN $2::uuid THEN $5 ELSE updated_at END
   WHERE ${BELOW}`;

/** Folders that hold something, and all folders above them, stay. */
const DELETE_EMPTY = `
  WITH kept AS (
    SELECT DISTINCT unnest(f.chain) AS catalog_id
      FROM mcdisk.catalog f
     WHERE f.${BELOW} AND f.state = 'ACTIVE'
       AND EXISTS (SELECT FROM mcdisk.content c
                    WHERE c.cloud_id = $1 AND c.parent_catalog_id = f.catalog_id AND c.state = 'ACTIVE'))
  UPDATE mcdisk.catalog SET state = 'DELETED', updated_at = $3
   WHERE ${BELOW} AND state = 'ACTIVE' AND catalog_id NOT IN (SELECT catalog_id FROM kept)
  RETURNING catalog_id`;

/**
 * Folders of families' clouds, and nothing decided about them. A row's chain is always its parent's and itself, also
 * of deleted ones. In a unit of work they are locked after contents and before uploads and blobs.
 */
@Injectable()
export class FolderRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * One at a time changes the tree of a cloud, because a folder that moves takes along what it cannot see: folders
   * that somebody else makes below it meanwhile. Taken before any row of a folder is locked.
   */
  async lockTree(cloudId: string): Promise<void> {
    await this.unitOfWork.executor.query(
      `SELECT pg_advisory_xact_lock(hashtextextended('mcdisk.catalog:' || $1::text, 0))`,
      [cloudId],
    );
  }

  findActive(cloudId: string, folderId: string): Promise<FolderEntity | null> {
    return this.unitOfWork.manager.findOneBy(FolderEntity, { cloudId, folderId: folderId, state: ACTIVE });
  }

  /** Keeps it where it is, and from being deleted, until the unit of work ends; others may hold it as well. */
  lockActiveForShare(cloudId: string, folderId: string): Promise<FolderEntity | null> {
    return this.unitOfWork.manager.findOne(FolderEntity, {
      where: { cloudId, folderId: folderId, state: ACTIVE },
      lock: { mode: 'pessimistic_read' },
    });
  }

  /** Whatever their state, in no order. */
  findMany(cloudId: string, folderIds: readonly string[]): Promise<FolderEntity[]> {
    return this.unitOfWork.manager.findBy(FolderEntity, { cloudId, folderId: In([...folderIds]) });
  }

  /** The active one of this name in a folder; there is at most one. */
  async findNamed(cloudId: string, parentFolderId: string | null, name: string): Promise<FolderEntity | null> {
    return this.unitOfWork.manager
      .createQueryBuilder(FolderEntity, 'catalog')
      .where({ cloudId, name, state: ACTIVE })
      .andWhere(parentFolderId === null ? 'catalog.parentFolderId IS NULL' : { parentFolderId })
      .getOne();
  }

  /** A folder and all active ones below it, from above downwards. */
  async findTree(cloudId: string, folderId: string): Promise<FolderEntity[]> {
    return this.unitOfWork.manager
      .createQueryBuilder(FolderEntity, 'catalog')
      .where({ cloudId, state: ACTIVE })
      .andWhere('catalog.pathIds @> ARRAY[:folderId::uuid]', { folderId })
      .orderBy('cardinality(catalog.pathIds)')
      .addOrderBy('catalog.folderId')
      .getMany();
  }

  async countActive(cloudId: string): Promise<number> {
    return this.unitOfWork.manager.countBy(FolderEntity, { cloudId, state: ACTIVE });
  }

  async insert(catalog: FolderEntity): Promise<void> {
    await this.unitOfWork.manager.insert(FolderEntity, catalog);
  }

  async rename(cloudId: string, folderId: string, changes: { name: string; updatedAt: number }): Promise<void> {
    await this.unitOfWork.manager.update(FolderEntity, { cloudId, folderId }, changes);
  }

  /** Waits for whoever holds one of them, in the order of their ids, so that two who wait do not cross. */
  async lockSubtree(cloudId: string, folderId: string): Promise<void> {
    await this.unitOfWork.executor.query(
      `SELECT FROM mcdisk.catalog WHERE ${BELOW} ORDER BY catalog_id FOR NO KEY UPDATE`,
      [cloudId, folderId],
    );
  }

  /** Puts a folder, active from now on, under another one, with all that is below it. Its rows are locked. */
  async moveSubtree(
    cloudId: string,
    folderId: string,
    target: { folderId: string | null; pathIds: readonly string[] },
    now: number,
  ): Promise<void> {
    await this.unitOfWork.executor.query(REPLANT, [cloudId, folderId, target.pathIds, target.folderId, now]);
  }

  /** Of a folder and all below it, marks those as deleted that hold nothing active; their rows are locked. */
  async deleteEmpty(cloudId: string, folderId: string, now: number): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ catalog_id: string }>(DELETE_EMPTY, [cloudId, folderId, now]);
    return rows.map(({ catalog_id }) => catalog_id);
  }

  /**
   * Forgets deleted folders of all clouds to which nothing refers any more.
   * @param before Unix milliseconds; those that were deleted later stay
   * @returns how many, at most `limit`; folders in one another need several rounds
   */
  async deleteUnreferenced(before: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.catalog WHERE catalog_id IN (
         SELECT f.catalog_id FROM mcdisk.catalog f
          WHERE f.state = 'DELETED' AND f.updated_at < $1
            AND NOT EXISTS (SELECT FROM mcdisk.catalog below WHERE below.parent_catalog_id = f.catalog_id)
            AND NOT EXISTS (SELECT FROM mcdisk.content c WHERE c.parent_catalog_id = f.catalog_id)
            AND NOT EXISTS (SELECT FROM mcdisk.upload u WHERE u.parent_catalog_id = f.catalog_id)
          ORDER BY f.catalog_id LIMIT $2 FOR UPDATE OF f SKIP LOCKED)
       RETURNING catalog_id`,
      [before, limit],
    );
    return rows.length;
  }
}
