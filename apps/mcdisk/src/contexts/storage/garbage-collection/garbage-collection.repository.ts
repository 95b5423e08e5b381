import { Injectable } from '@nestjs/common';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { isReferencedSql } from '../storage.sql.js';

/** Result of checking one page of blobs in key order. */
export interface LiveBlobPage {
  /**
   * Keys of live blobs that seem unreferenced. The caller must lock the returned blobs and check their references
   * again.
   */
  unreferencedKeys: string[];
  /** The key after which the next page starts, or `undefined` after the last page. */
  lastKey: string | undefined;
}

/** Reads and changes the rows of blobs, of all clouds, for garbage collection. */
@Injectable()
export class GarbageCollectionRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Checks the references of the next `limit` blobs after the key `after`. */
  async findPage(after: string, limit: number): Promise<LiveBlobPage> {
    const rows = await this.unitOfWork.prepared.query<{ key: string; unreferenced: boolean }>(
      `SELECT page.blob_key AS key, page.state = 'LIVE' AND NOT ${isReferencedSql('page')} AS unreferenced
         FROM (SELECT blob_key, cloud_id, state FROM mcdisk.blob
                WHERE blob_key > $1 ORDER BY blob_key LIMIT $2) page
        ORDER BY page.blob_key`,
      [after, limit],
    );
    return {
      unreferencedKeys: rows.filter(({ unreferenced }) => unreferenced).map(({ key }) => key),
      lastKey: rows.length === limit ? rows.at(-1)?.key : undefined,
    };
  }

  /**
   * Locks blobs that were condemned before `before` and skips locked rows. Must be called in the transaction that
   * decides about the locked blobs.
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
   * Decides about locked, condemned blobs: referenced blobs become LIVE again, all others DELETING.
   * @returns keys of the blobs to delete
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
   * Deletes the renditions of deleted sources.
   * @returns keys of the renditions' own blobs, which must be deleted as well
   */
  async deleteRenditions(sourceKeys: readonly string[], now: number): Promise<string[]> {
    const deleted = await this.unitOfWork.prepared.query<{ key: string }>(
      `DELETE FROM mcdisk.rendition WHERE source_key = ANY ($1::uuid[]) RETURNING blob_key AS key`,
      [uuidArray(sourceKeys)],
    );
    const keys = deleted.map(({ key }) => key).filter(Boolean);
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

  /** Returns the keys whose bytes are not needed, because the key has no row or a row in state GONE. */
  async findUnknown(keys: readonly string[]): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ key: string }>(
      `SELECT key FROM unnest($1::uuid[]) AS key
        WHERE NOT EXISTS (SELECT FROM mcdisk.blob b WHERE b.blob_key = key AND b.state <> 'GONE')`,
      [uuidArray(keys)],
    );
    return rows.map(({ key }) => key);
  }

  /** Deletes rows of blobs that have been GONE since before `before` and are not referenced. */
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

/**
 * Minimum age at which bytes without a row are deleted, milliseconds. The commit of younger bytes may be in progress.
 */
export const ORPHAN_MIN_AGE_MS = 60 * 60_000;
