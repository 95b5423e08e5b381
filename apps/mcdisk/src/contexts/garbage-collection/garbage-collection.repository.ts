import { Injectable } from '@nestjs/common';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { isReferencedSql } from '../blobs/blob-references.js';

/** A part of all blobs, in the order of their keys. */
export interface LiveBlobPage {
  /** Live ones to which nothing seems to refer; to be looked at again under lock. */
  loose: string[];
  /** Where the next page begins; `undefined` after the last one. */
  last: string | undefined;
}

/** What blobs of all clouds are to the collector. */
@Injectable()
export class GarbageCollectionRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  async findPage(after: string, limit: number): Promise<LiveBlobPage> {
    const rows = await this.unitOfWork.prepared.query<{ key: string; loose: boolean }>(
      `SELECT page.blob_key AS key, page.state = 'LIVE' AND NOT ${isReferencedSql('page')} AS loose
         FROM (SELECT blob_key, cloud_id, state FROM mcdisk.blob
                WHERE blob_key > $1 ORDER BY blob_key LIMIT $2) page
        ORDER BY page.blob_key`,
      [after, limit],
    );
    return {
      loose: rows.filter(({ loose }) => loose).map(({ key }) => key),
      last: rows.length === limit ? rows.at(-1)?.key : undefined,
    };
  }

  /**
   * Locks blobs that were condemned before `before`, except those that somebody else has locked; for the unit of work
   * that decides about them.
   */
  async lockCondemned(before: number, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ key: string }>(
      `SELECT blob_key AS key FROM mcdisk.blob
        WHERE blob_key IN (SELECT blob_key FROM mcdisk.blob WHERE state = 'CONDEMNED' AND state_since < $1
                            ORDER BY state_since LIMIT $2)
          AND state = 'CONDEMNED' AND state_since < $1
        ORDER BY blob_key FOR UPDATE SKIP LOCKED`,
      [before, limit],
    );
    return rows.map(({ key }) => key);
  }

  /**
   * What becomes of condemned blobs that are locked: live again if something refers to them after all.
   * @returns those that are to be removed
   */
  async deleteOrRevive(keys: readonly string[], now: number): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ key: string; state: string }>(
      `UPDATE mcdisk.blob b
          SET state = CASE WHEN ${isReferencedSql('b')} THEN 'LIVE' ELSE 'DELETING' END, state_since = $2
        WHERE b.blob_key = ANY ($1::uuid[]) AND b.state = 'CONDEMNED'
        RETURNING b.blob_key AS key, b.state`,
      [uuidArray(keys), now],
    );
    return rows.filter(({ state }) => state === 'DELETING').map(({ key }) => key);
  }

  /**
   * Renditions live and die with their source.
   * @returns keys of the renditions' own blobs, which are to be removed as well
   */
  async takeRenditions(sourceKeys: readonly string[], now: number): Promise<string[]> {
    const taken = await this.unitOfWork.prepared.query<{ key: string }>(
      `DELETE FROM mcdisk.rendition WHERE source_key = ANY ($1::uuid[]) RETURNING blob_key AS key`,
      [uuidArray(sourceKeys)],
    );
    const keys = taken.map(({ key }) => key).filter(Boolean);
    if (keys.length === 0) return [];
    const rows = await this.unitOfWork.prepared.query<{ key: string }>(
      `UPDATE mcdisk.blob SET state = 'DELETING', state_since = $2
        WHERE blob_key = ANY ($1::uuid[]) AND state IN ('STAGED', 'LIVE', 'CONDEMNED') RETURNING blob_key AS key`,
      [uuidArray(keys), now],
    );
    return rows.map(({ key }) => key);
  }

  async markGone(keys: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.blob SET state = 'GONE', state_since = $2
        WHERE blob_key = ANY ($1::uuid[]) AND state = 'DELETING'`,
      [uuidArray(keys), now],
    );
  }

  /** Those of the keys whose bytes nobody may ever ask for: no row knows them, or the row says that they are gone. */
  async findUnknown(keys: readonly string[]): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ key: string }>(
      `SELECT key FROM unnest($1::uuid[]) AS key
        WHERE NOT EXISTS (SELECT FROM mcdisk.blob b WHERE b.blob_key = key AND b.state <> 'GONE')`,
      [uuidArray(keys)],
    );
    return rows.map(({ key }) => key);
  }

  /** Forgets blobs that have been gone since before `before`, but for those that a row still names. */
  async deleteTombstones(before: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.blob WHERE blob_key IN (
         SELECT b.blob_key FROM mcdisk.blob b
          WHERE b.state = 'GONE' AND b.state_since < $1
            AND NOT EXISTS (SELECT FROM mcdisk.content c WHERE c.cloud_id = b.cloud_id AND c.blob_key = b.blob_key)
            AND NOT EXISTS (SELECT FROM mcdisk.upload u WHERE u.blob_key = b.blob_key)
            AND NOT EXISTS (SELECT FROM mcdisk.rendition r WHERE b.blob_key IN (r.source_key, r.blob_key))
          ORDER BY b.state_since LIMIT $2 FOR UPDATE OF b SKIP LOCKED)
       RETURNING blob_key`,
      [before, limit],
    );
    return rows.length;
  }
}
