import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { MAX_ATTEMPTS } from './rendition-plan.js';

/**
 * Raw SQL: the join. Prepared, because each list of contents executes it. Selects ready renditions, and the original of
 * a shared file that needs no rendition.
 */
export const FIND_READY_RENDITIONS = prepared(`
  SELECT r.source_key AS "sourceKey",
         CASE r.state WHEN 'READY' THEN r.blob_key ELSE r.source_key END AS "blobKey",
         r.media_type AS "mediaType",
         CASE r.state WHEN 'READY' THEN r.size ELSE s.size END AS size,
         CASE r.state WHEN 'READY' THEN r.digest ELSE s.digest END AS digest
    FROM mcdisk.rendition r JOIN mcdisk.blob s ON s.blob_key = r.source_key
   WHERE r.source_key = ANY ($1::uuid[]) AND r.kind = $2
     AND (r.state = 'READY' OR (r.state = 'NONE' AND r.kind = 'SHARED'))`);

/**
 * Raw SQL: inserts a set of rows and ON CONFLICT DO UPDATE has a condition. Prepared, because each group commit of
 * uploads executes it.
 */
export const REQUEST_RENDITIONS = prepared(`
  INSERT INTO mcdisk.rendition (source_key, cloud_id, kind, state, due_at)
  SELECT blob_key, cloud_id, $2, 'WAITING', $3 FROM mcdisk.blob
   WHERE blob_key = ANY ($1::uuid[]) AND state IN ('LIVE', 'CONDEMNED') ORDER BY blob_key
      ON CONFLICT (source_key, kind) DO UPDATE SET due_at = least(rendition.due_at, excluded.due_at)
   WHERE rendition.state = 'WAITING' AND rendition.lease_holder IS NULL AND rendition.attempts = 0
     AND rendition.due_at > excluded.due_at`);

/** Raw SQL, because it is prepared: each waiting download executes it every 250 ms. */
export const FIND_RENDITION_STATE = prepared(`
  SELECT state, cloud_id AS "cloudId" FROM mcdisk.rendition WHERE source_key = $1 AND kind = $2`);

/** Raw SQL: joins tables and locks the rows of one of them. */
export const LOCK_CONTENTS_WITHOUT_CAPTURE_TIME = `
  SELECT FROM mcdisk.content c JOIN mcdisk.blob b ON b.cloud_id = c.cloud_id AND b.blob_key = c.blob_key
   WHERE b.blob_key = $1 AND c.shot_at IS NULL ORDER BY c.content_id FOR NO KEY UPDATE OF c`;

/** Raw SQL: the join with another table. */
export const SET_CAPTURE_TIME = `
  UPDATE mcdisk.content c SET shot_at = $2 FROM mcdisk.blob b
   WHERE b.blob_key = $1 AND c.cloud_id = b.cloud_id AND c.blob_key = b.blob_key AND c.shot_at IS NULL`;

/** Raw SQL: copies a column of another table. Prepared, because each group commit of uploads executes it. */
export const COPY_CAPTURE_TIMES = prepared(`
  UPDATE mcdisk.content c SET shot_at = r.shot_at FROM mcdisk.rendition r
   WHERE c.content_id = ANY ($1::uuid[]) AND c.shot_at IS NULL
     AND r.source_key = c.blob_key AND r.kind = 'THUMBNAIL' AND r.shot_at IS NOT NULL`);

/**
 * Selects the first due rendition of the next cloud with due renditions. Skips renditions that have used all their
 * attempts, because `failExhausted` marks these renditions as failed.
 */
function firstDueSql(dueCondition: string, cloudCondition: string): string {
  return `
    SELECT * FROM (SELECT source_key, kind FROM mcdisk.rendition
                    WHERE state = 'WAITING' AND attempts < ${MAX_ATTEMPTS} AND ${dueCondition} AND ${cloudCondition}
                    ORDER BY cloud_id, due_at LIMIT 1 FOR UPDATE SKIP LOCKED) AS first`;
}

/**
 * Claims the next due rendition. Clouds take turns in id order, and renditions that a caller waits for come first. The
 * four subqueries are evaluated only until one of them returns a row. If the rendition still has a holder, this holder
 * has crashed or exceeded its lease; the reference to the holder's staged blob is removed. Raw SQL: claims a row with
 * SKIP LOCKED in a subquery. Prepared, because it runs for each rendition.
 */
export const CLAIM_RENDITION = prepared(`
  UPDATE mcdisk.rendition r
     SET lease_holder = $2, attempts = r.attempts + 1, blob_key = NULL,
         due_at = $1 + $3::bigint + coalesce(s.size, 0) / $4::bigint
    FROM mcdisk.blob s
   WHERE s.blob_key = r.source_key AND (r.source_key, r.kind) = (
     ${['due_at = 0', 'due_at <= $1'].flatMap((due) => [firstDueSql(due, 'cloud_id > $5'), firstDueSql(due, 'cloud_id <= $5')]).join(' UNION ALL ')}
     LIMIT 1)
  RETURNING r.source_key AS "sourceKey", r.kind, r.attempts, r.lease_holder AS "holder", r.cloud_id AS "cloudId", s.size`);
