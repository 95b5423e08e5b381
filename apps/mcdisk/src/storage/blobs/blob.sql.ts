import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/**
 * Returns the SQL condition that a blob is referenced. A blob is referenced by contents that are not purged, by open
 * uploads, by firmware images, by archives of exports, and as the rendition of a source whose bytes are not deleted.
 *
 * `isReferencedSql` is the only definition of what references a blob. The condition must be evaluated in a separate
 * statement after the blob's row was locked FOR UPDATE. A statement sees what was committed before the statement began.
 * While the row is locked, no reference can be created, because the check of a foreign key needs a conflicting lock on
 * this row.
 * @param blob alias of the blob's row in the statement, with `cloud_id` and `blob_key`
 */
export function isReferencedSql(blob: string): string {
  return `(
    EXISTS (SELECT FROM mcdisk.content c WHERE c.cloud_id = ${blob}.cloud_id AND c.blob_key = ${blob}.blob_key
               AND c.state <> 'PURGED')
    OR EXISTS (SELECT FROM mcdisk.upload u WHERE u.blob_key = ${blob}.blob_key AND u.state IN ('PENDING', 'RECEIVING'))
    OR EXISTS (SELECT FROM mcdisk.firmware_image f WHERE f.blob_key = ${blob}.blob_key)
    OR EXISTS (SELECT FROM mcdisk.export_archive e WHERE e.blob_key = ${blob}.blob_key)
    OR EXISTS (SELECT FROM mcdisk.rendition r JOIN mcdisk.blob source ON source.blob_key = r.source_key
                WHERE r.blob_key = ${blob}.blob_key AND source.state IN ('STAGED', 'LIVE', 'CONDEMNED')))`;
}

export const ABANDON_UNREFERENCED_STAGED = `
  UPDATE mcdisk.blob SET state = 'DELETING', state_since = $1
   WHERE state = 'STAGED' AND blob_key IN (
     SELECT b.blob_key FROM mcdisk.blob b
      WHERE b.state = 'STAGED'
        AND NOT ${isReferencedSql('b')}
      ORDER BY b.blob_key LIMIT $2 FOR UPDATE OF b SKIP LOCKED)
   RETURNING blob_key`;

export const LOCK_LIVE_BLOBS = prepared(`
  SELECT blob_key FROM mcdisk.blob WHERE blob_key = ANY ($1::uuid[]) AND state = 'LIVE' ORDER BY blob_key FOR UPDATE`);

export const CONDEMN_UNREFERENCED = prepared(`
  UPDATE mcdisk.blob b SET state = 'CONDEMNED', state_since = $2
   WHERE b.blob_key = ANY ($1::uuid[]) AND b.state = 'LIVE' AND NOT ${isReferencedSql('b')}
   RETURNING b.blob_key`);

export const CLAIM_UNFINISHED_DELETIONS = `
  UPDATE mcdisk.blob
     SET removals = least(removals + 1, $4), removal_after = $1::bigint + ($3::bigint << removals::int)
   WHERE blob_key IN (
     SELECT blob_key FROM mcdisk.blob
      WHERE state = 'DELETING' AND state_since < $1 AND coalesce(removal_after, state_since) < $1
      ORDER BY coalesce(removal_after, state_since) LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING blob_key`;

export const FIND_BLOB_PAGE = prepared(`
  SELECT page.blob_key AS key, page.state = 'LIVE' AND NOT ${isReferencedSql('page')} AS unreferenced
    FROM (SELECT blob_key, cloud_id, state FROM mcdisk.blob
           WHERE blob_key > $1 ORDER BY blob_key LIMIT $2) page
   ORDER BY page.blob_key`);

/** The subquery selects the blobs that were condemned first, and the statement locks them in key order. */
export const LOCK_CONDEMNED = prepared(`
  SELECT blob_key AS key FROM mcdisk.blob
   WHERE blob_key IN (SELECT blob_key FROM mcdisk.blob WHERE state = 'CONDEMNED' AND state_since < $1
                       ORDER BY state_since LIMIT $2)
     AND state = 'CONDEMNED' AND state_since < $1
   ORDER BY blob_key FOR UPDATE SKIP LOCKED`);

export const DELETE_OR_REVIVE = prepared(`
  UPDATE mcdisk.blob b
     SET state = CASE WHEN ${isReferencedSql('b')} THEN 'LIVE' ELSE 'DELETING' END, state_since = $2
   WHERE b.blob_key = ANY ($1::uuid[]) AND b.state = 'CONDEMNED'
   RETURNING b.blob_key AS key, b.state`);

export const DELETE_RENDITIONS = prepared(
  `DELETE FROM mcdisk.rendition WHERE source_key = ANY ($1::uuid[]) RETURNING blob_key AS key`,
);

export const MARK_BLOBS_DELETING = prepared(`
  UPDATE mcdisk.blob SET state = 'DELETING', state_since = $2
   WHERE blob_key = ANY ($1::uuid[]) AND state IN ('STAGED', 'LIVE', 'CONDEMNED') RETURNING blob_key AS key`);

export const FIND_UNKNOWN_KEYS = prepared(`
  SELECT key FROM unnest($1::uuid[]) AS key
   WHERE NOT EXISTS (SELECT FROM mcdisk.blob b WHERE b.blob_key = key AND b.state <> 'GONE')`);

export const DELETE_TOMBSTONES = `
  DELETE FROM mcdisk.blob WHERE blob_key IN (
    SELECT b.blob_key FROM mcdisk.blob b
     WHERE b.state = 'GONE' AND b.state_since < $1
       AND NOT EXISTS (SELECT FROM mcdisk.content c WHERE c.cloud_id = b.cloud_id AND c.blob_key = b.blob_key)
       AND NOT EXISTS (SELECT FROM mcdisk.upload u WHERE u.blob_key = b.blob_key)
       AND NOT EXISTS (SELECT FROM mcdisk.firmware_image f WHERE f.blob_key = b.blob_key)
       AND NOT EXISTS (SELECT FROM mcdisk.export_archive e WHERE e.blob_key = b.blob_key)
       AND NOT EXISTS (SELECT FROM mcdisk.rendition r WHERE b.blob_key IN (r.source_key, r.blob_key))
     ORDER BY b.state_since LIMIT $2 FOR UPDATE OF b SKIP LOCKED)
  RETURNING blob_key`;

/** Estimates from the blobs on about 100 pages, because exact sums would read every row. */
export const ESTIMATE_BLOBS = `
  WITH sampling AS (
    SELECT least(100, 100 * 100 / greatest(1, pg_relation_size('mcdisk.blob') / 8192.0)) AS percent
  ), sampled AS (
    SELECT state, size FROM mcdisk.blob TABLESAMPLE SYSTEM ((SELECT percent FROM sampling))
  )
  SELECT declared.state, round(count(sampled.state) * 100 / percent)::bigint AS blobs,
    round(coalesce(sum(sampled.size), 0) * 100 / percent)::bigint AS bytes
  FROM sampling CROSS JOIN unnest(ARRAY['STAGED', 'LIVE', 'CONDEMNED', 'DELETING']) AS declared (state)
  LEFT JOIN sampled ON sampled.state = declared.state
  GROUP BY declared.state, percent`;
