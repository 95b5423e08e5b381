import { Injectable } from '@nestjs/common';
import { RECYCLE_RETENTION_MS } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { Sight } from '../clouds/cloud.access.js';
import { sightCondition, sightParameters } from '../clouds/sight-condition.js';
import type { CatalogChain } from './catalog-path.js';

/** What a change of state has to know of a content. */
export interface LockedContent {
  contentId: string;
  cloudId: string;
  parentCatalogId: string | null;
  cid: string | null;
  /** `null` once purged. */
  blobKey: string | null;
  /** Bytes. */
  size: number;
  state: ContentState;
}

/** Columns of a {@link LockedContent}, for every statement that locks some. */
export const LOCKED_COLUMNS = `content_id AS "contentId", cloud_id AS "cloudId",
  parent_catalog_id AS "parentCatalogId", cid, blob_key AS "blobKey", size, state`;

/** What one statement has put into the recycle bin. */
export interface Recycled {
  count: number;
  /** Bytes of all of them. */
  bytes: number;
  /** Which they are; `null`: all that were named. */
  contentIds: string[] | null;
}

/**
 * All of them, when nothing speaks against any; otherwise none, and whoever asks takes the locks first. So the two
 * hundred rows of a deletion are neither locked before they change nor told of one by one. They change in id order,
 * which is that of all locks of contents. A few only go when others went meanwhile to where somebody else brought them.
 */
const RECYCLE_ALL = `
  WITH named AS MATERIALIZED (
    SELECT content_id FROM mcdisk.content
     WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[]) AND state = 'ACTIVE' AND ${sightCondition('cid', 5)}
     ORDER BY content_id
  ), recycled AS (
    UPDATE mcdisk.content c SET state = 'RECYCLED', updated_at = $3, recycled_at = $3, purge_at = $4
      FROM named
     WHERE c.content_id = named.content_id AND c.state = 'ACTIVE' AND ${sightCondition('c.cid', 5)}
       AND (SELECT count(*) FROM named) = cardinality($2::uuid[])
    RETURNING c.content_id, c.size
  )
  SELECT count(*)::int AS count, coalesce(sum(size), 0)::bigint AS bytes,
         CASE WHEN count(*) < cardinality($2::uuid[]) THEN coalesce(array_agg(content_id), '{}') END AS "contentIds"
    FROM recycled`;

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
  async chainsOf(cloudId: string, catalogIds: readonly string[]): Promise<Map<string, CatalogChain>> {
    const rows = await this.unitOfWork.prepared.query<{ catalogId: string; chain: string[] }>(
      `SELECT catalog_id AS "catalogId", chain FROM mcdisk.catalog
        WHERE cloud_id = $1 AND catalog_id = ANY ($2::uuid[])`,
      [cloudId, uuidArray(catalogIds)],
    );
    return new Map(rows.map(({ catalogId, chain }) => [catalogId, chain]));
  }

  /**
   * Contents of the cloud go to the recycle bin when all are active and seen.
   * @param contentIds in UUID form, each once
   * @returns none when one was not; a part of them when somebody else changed others at the same moment
   */
  async recycleAll(
    cloudId: string,
    contentIds: readonly string[],
    { sight, now }: { sight: Sight; now: number },
  ): Promise<Recycled> {
    const [recycled] = await this.unitOfWork.prepared.query<Recycled>(RECYCLE_ALL, [
      ...[cloudId, uuidArray(contentIds), now, now + RECYCLE_RETENTION_MS],
      ...sightParameters(sight),
    ]);
    return recycled as Recycled;
  }

  /** Contents of the cloud among the ids, whatever their state, as they stand for this statement. */
  async find(cloudId: string, contentIds: readonly string[]): Promise<LockedContent[]> {
    return this.unitOfWork.prepared.query<LockedContent>(
      `SELECT ${LOCKED_COLUMNS} FROM mcdisk.content WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[])`,
      [cloudId, uuidArray(contentIds)],
    );
  }

  /** Active ones that are locked go to the recycle bin. */
  async recycle(cloudId: string, contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.content SET state = 'RECYCLED', updated_at = $3, recycled_at = $3, purge_at = $4
        WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[])`,
      [cloudId, uuidArray(contentIds), now, now + RECYCLE_RETENTION_MS],
    );
  }

  /** Recycled ones that are locked become active, all in one folder. */
  async restore(
    cloudId: string,
    contentIds: readonly string[],
    { parentCatalogId, now }: { parentCatalogId: string | null; now: number },
  ): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.content
          SET state = 'ACTIVE', parent_catalog_id = $3, updated_at = $4, recycled_at = NULL, purge_at = NULL
        WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[])`,
      [cloudId, uuidArray(contentIds), parentCatalogId, now],
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
