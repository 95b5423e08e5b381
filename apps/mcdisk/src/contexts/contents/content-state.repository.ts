import { Injectable } from '@nestjs/common';
import { RECYCLE_BIN_RETENTION_MS } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { Visibility } from '../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../clouds/visibility-sql.js';
import type { FolderPath } from './folder-path.js';

/** What a change of state has to know of a content. */
export interface LockedContent {
  contentId: string;
  cloudId: string;
  parentFolderId: string | null;
  cid: string | null;
  /** `null` once purged. */
  blobKey: string | null;
  /** Bytes. */
  size: number;
  state: ContentState;
}

/** Columns of a {@link LockedContent}, for every statement that locks some. */
export const LOCKED_COLUMNS = `content_id AS "contentId", cloud_id AS "cloudId",
  parent_catalog_id AS "parentFolderId", cid, blob_key AS "blobKey", size, state`;

/** A content as it was found when what could be deleted of it was. */
export type FoundContent = Pick<LockedContent, 'contentId' | 'cid' | 'size' | 'state'>;

/**
 * Finding, locking in id order and changing are one statement: their ids need not go to the service and come back in a
 * round trip of its own. The lock is a step of its own all the same: an UPDATE takes its rows in the order of its plan.
 */
const RECYCLE_SEEN = `
  WITH named AS MATERIALIZED (
    SELECT content_id, cid, size, state, state = 'ACTIVE' AND ${visibilityCondition('cid', 5)} AS goes FROM mcdisk.content
     WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[]) ORDER BY content_id FOR NO KEY UPDATE
  ), recycled AS (
    UPDATE mcdisk.content c SET state = 'RECYCLED', updated_at = $3, recycled_at = $3, purge_at = $4
      FROM named WHERE c.content_id = named.content_id AND named.goes
  )
  SELECT content_id AS "contentId", cid, size, state FROM named`;

/** Contents on their way between folders, recycle bin and oblivion: hundreds at a time, one statement each. */
@Injectable()
export class ContentStateRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Contents of the cloud among the ids, whatever their state, locked in id order.
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
   * Folders from the root down to each of these. Read in a statement of its own: one that waited for the lock of a
   * content would see the folder that it lay in before.
   */
  async findPaths(cloudId: string, folderIds: readonly string[]): Promise<Map<string, FolderPath>> {
    const rows = await this.unitOfWork.prepared.query<{ folderId: string; chain: string[] }>(
      `SELECT catalog_id AS "folderId", chain FROM mcdisk.catalog
        WHERE cloud_id = $1 AND catalog_id = ANY ($2::uuid[])`,
      [cloudId, uuidArray(folderIds)],
    );
    return new Map(rows.map(({ folderId, chain }) => [folderId, chain]));
  }

  /**
   * Contents of the cloud among the ids, whatever their state, locked in id order; those that are active and seen are
   * in the recycle bin afterwards.
   * @param contentIds in UUID form
   * @returns all of them as they were before
   */
  async recycleVisible(
    cloudId: string,
    contentIds: readonly string[],
    { sight, now }: { sight: Visibility; now: number },
  ): Promise<FoundContent[]> {
    return this.unitOfWork.prepared.query<FoundContent>(RECYCLE_SEEN, [
      cloudId,
      uuidArray(contentIds),
      now,
      now + RECYCLE_BIN_RETENTION_MS,
      ...visibilityParameters(sight),
    ]);
  }

  /** Active ones that are locked go to the recycle bin. */
  async recycle(cloudId: string, contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.content SET state = 'RECYCLED', updated_at = $3, recycled_at = $3, purge_at = $4
        WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[])`,
      [cloudId, uuidArray(contentIds), now, now + RECYCLE_BIN_RETENTION_MS],
    );
  }

  /** Recycled ones that are locked become active, all in one folder. */
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
   * Recycled ones of any cloud that are locked lose their bytes, and what told what they were. Their ids stay, so
   * that deleting or purging them again is answered as before.
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
