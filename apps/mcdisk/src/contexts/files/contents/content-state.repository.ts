import { Injectable } from '@nestjs/common';
import { RECYCLE_BIN_RETENTION_MS } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../../clouds/clouds.sql.js';
import type { FolderPath } from '../folders/folder-path.js';

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

/** Columns of a {@link LockedContent}, for every statement that locks contents. */
export const LOCKED_COLUMNS = `content_id AS "contentId", cloud_id AS "cloudId",
  parent_catalog_id AS "parentFolderId", cid, blob_key AS "blobKey", size, state`;

/** A content before `recycleVisible` changed it. */
export type FoundContent = Pick<LockedContent, 'contentId' | 'cid' | 'size' | 'state'>;

/**
 * Finds contents, locks them in id order and updates them, in one statement to save a round trip. The lock is a
 * separate subquery because an UPDATE locks rows in an order that depends on its plan.
 */
const RECYCLE_VISIBLE_SQL = `
  WITH requested AS MATERIALIZED (
    SELECT content_id, cid, size, state, state = 'ACTIVE' AND ${visibilityCondition('cid', 5)} AS is_recyclable
      FROM mcdisk.content
     WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[]) ORDER BY content_id FOR NO KEY UPDATE
  ), recycled AS (
    UPDATE mcdisk.content c SET state = 'RECYCLED', updated_at = $3, recycled_at = $3, purge_at = $4
      FROM requested WHERE c.content_id = requested.content_id AND requested.is_recyclable
  )
  SELECT content_id AS "contentId", cid, size, state FROM requested`;

/** Changes the states of contents (active, recycled, purged), hundreds of contents per statement. */
@Injectable()
export class ContentStateRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Locks the contents of the cloud with these ids, in any state and in id order.
   * @param contentIds in UUID form
   */
  async lock(cloudId: string, contentIds: readonly string[]): Promise<LockedContent[]> {
    return this.unitOfWork.prepared.query<LockedContent>(
      `SELECT ${LOCKED_COLUMNS} FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[]) ORDER BY content_id FOR NO KEY UPDATE`,
      [cloudId, uuidArray(contentIds)],
    );
  }

  /**
   * Returns the path of each folder. Paths are read in a separate statement, because a statement that waits for a
   * content's lock still sees the former folder of this content.
   */
  async findPaths(cloudId: string, folderIds: readonly string[]): Promise<Map<string, FolderPath>> {
    const rows = await this.unitOfWork.prepared.query<{ folderId: string; pathIds: string[] }>(
      `SELECT catalog_id AS "folderId", chain AS "pathIds" FROM mcdisk.catalog
        WHERE cloud_id = $1 AND catalog_id = ANY ($2::uuid[])`,
      [cloudId, uuidArray(folderIds)],
    );
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
    return this.unitOfWork.prepared.query<FoundContent>(RECYCLE_VISIBLE_SQL, [
      cloudId,
      uuidArray(contentIds),
      now,
      now + RECYCLE_BIN_RETENTION_MS,
      ...visibilityParameters(visibility),
    ]);
  }

  /** Moves active contents to the recycle bin. Must be called in the transaction that locked the contents. */
  async recycle(cloudId: string, contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.content SET state = 'RECYCLED', updated_at = $3, recycled_at = $3, purge_at = $4
        WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[])`,
      [cloudId, uuidArray(contentIds), now, now + RECYCLE_BIN_RETENTION_MS],
    );
  }

  /** Restores recycled contents to one folder. Must be called in the transaction that locked the contents. */
  async restore(
    cloudId: string,
    contentIds: readonly string[],
    { parentFolderId, now }: { parentFolderId: string | null; now: number },
  ): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.content
          SET state = 'ACTIVE', parent_catalog_id = $3, updated_at = $4, recycled_at = NULL, purge_at = NULL
        WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[])`,
      [cloudId, uuidArray(contentIds), parentFolderId, now],
    );
  }

  /**
   * Purges recycled contents of any cloud: clears blob, name and digest. The ids of purged contents stay, so that a
   * repeated deletion or purge has the same result. Must be called in the transaction that locked the contents.
   */
  async purge(contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.content
          SET state = 'PURGED', blob_key = NULL, name = '', digest = '', shot_at = NULL, updated_at = $2,
              purge_at = NULL
        WHERE content_id = ANY ($1::uuid[])`,
      [uuidArray(contentIds), now],
    );
  }
}
