import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { visibilityCondition } from '../clouds/visibility-condition.js';

const COLUMN_BY_PROPERTY: Readonly<Record<keyof UploadEntity, string>> = {
  contentId: 'content_id',
  taskId: 'task_id',
  cloudId: 'cloud_id',
  principal: 'principal',
  sessionId: 'session_id',
  parentFolderId: 'parent_catalog_id',
  tokenHash: 'token_hash',
  name: 'name',
  size: 'size',
  digest: 'digest',
  state: 'state',
  blobKey: 'blob_key',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  completedAt: 'completed_at',
  receivedSize: 'received_size',
  leaseHolder: 'lock_holder',
  leaseExpiresAt: 'lock_until',
  leaseRequested: 'lock_wanted',
};

/**
 * SQL list of all columns of `mcdisk.upload u`, with the property names of the entity as aliases; for frequent
 * statements.
 */
const UPLOAD_COLUMNS = Object.entries(COLUMN_BY_PROPERTY)
  .map(([property, column]) => `u.${column} AS "${property}"`)
  .join(', ');

/** Raw SQL: inserts a set of rows. */
export const INSERT_UPLOADS = prepared(`
  INSERT INTO mcdisk.upload (content_id, task_id, cloud_id, principal, session_id, parent_catalog_id, token_hash, name,
                             size, digest, state, blob_key, created_at, expires_at, completed_at, received_size)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::bytea[], $8::text[],
                       $9::bigint[], $10::text[], $11::text[], $12::uuid[], $13::bigint[], $14::bigint[],
                       $15::bigint[], $16::bigint[])`);

/** Raw SQL, because it is prepared: each request to an upload URL executes it. */
export const FIND_UPLOADS_WITH_FAMILY = prepared(`
  SELECT ${UPLOAD_COLUMNS}, p.snapshot AS family
    FROM mcdisk.upload u JOIN mcdisk.family_projection p ON p.family_id = u.cloud_id
   WHERE u.token_hash = ANY($1::bytea[])`);

/** Raw SQL: locks rows in id order in a subquery. */
export const TERMINATE_UPLOADS = `
  UPDATE mcdisk.upload SET state = $2
   WHERE content_id IN (
     SELECT content_id FROM mcdisk.upload
      WHERE content_id = ANY($1::uuid[]) AND state IN ('PENDING', 'RECEIVING')
        AND ($3::uuid IS NULL OR lock_holder = $3)
      ORDER BY content_id FOR UPDATE)
   RETURNING content_id AS "contentId", cloud_id AS "cloudId", size, blob_key AS "blobKey",
             lock_holder AS "leaseHolder"`;

/** Raw SQL: claims rows with SKIP LOCKED in a subquery. */
export const EXPIRE_OVERDUE_UPLOADS = `
  UPDATE mcdisk.upload SET state = 'EXPIRED'
   WHERE content_id IN (
     SELECT content_id FROM mcdisk.upload
      WHERE state IN ('PENDING', 'RECEIVING') AND expires_at <= $1
      ORDER BY content_id LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING cloud_id AS "cloudId", size`;

/** Raw SQL: deletes a limited number of rows. */
export const DELETE_TERMINATED_UPLOADS = `
  DELETE FROM mcdisk.upload WHERE content_id IN (
    SELECT content_id FROM mcdisk.upload
     WHERE created_at < $1 AND state NOT IN ('PENDING', 'RECEIVING') LIMIT $2)
  RETURNING content_id`;

/** Raw SQL, because it is prepared: each group commit executes it. */
export const LOCK_FOLDERS_FOR_SHARE = prepared(`
  SELECT catalog_id AS "folderId" FROM mcdisk.catalog
   WHERE catalog_id = ANY($1::uuid[]) AND state = 'ACTIVE' ORDER BY catalog_id FOR SHARE`);

/** Raw SQL: the join. Prepared, because each group commit executes it. */
export const LOCK_UPLOADS_WITH_FAMILY = prepared(`
  SELECT ${UPLOAD_COLUMNS}, p.snapshot AS family
    FROM mcdisk.upload u JOIN mcdisk.family_projection p ON p.family_id = u.cloud_id
   WHERE u.content_id = ANY($1::uuid[]) ORDER BY u.content_id FOR UPDATE OF u`);

/** Raw SQL: finds the blobs of a set of digests. Prepared, because each group commit executes it. */
export const LOCK_BLOBS = prepared(`
  SELECT b.blob_key AS "blobKey", b.cloud_id AS "cloudId", b.state, b.digest, b.size FROM mcdisk.blob b
   WHERE b.blob_key IN (
     SELECT unnest($1::uuid[])
     UNION ALL
     SELECT equal.blob_key FROM unnest($2::text[], $3::text[], $4::bigint[]) AS w (cloud_id, digest, size)
      CROSS JOIN LATERAL (
        SELECT e.blob_key FROM mcdisk.blob e
         WHERE e.cloud_id = w.cloud_id AND e.digest = w.digest AND e.size = w.size
           AND e.state IN ('LIVE', 'CONDEMNED')
         LIMIT 4) equal)
   ORDER BY b.blob_key FOR NO KEY UPDATE`);

/** Raw SQL: writes sets of rows to three tables. Prepared, because each group commit executes it. */
export const WRITE_CONTENTS = prepared(`
  WITH item AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[], $5::text[], $6::text[], $7::uuid[])
      AS item (content_id, blob_key, digest, type, media_type, cid, parent_catalog_id)
  ), decided AS (
    INSERT INTO mcdisk.blob (blob_key, cloud_id, state, size, digest, state_since)
    SELECT *, $8::bigint FROM unnest($9::uuid[], $10::text[], $11::text[], $12::bigint[], $13::text[])
    ON CONFLICT (blob_key) DO UPDATE
      SET state = excluded.state, state_since = excluded.state_since, size = excluded.size, digest = excluded.digest
  ), done AS (
    UPDATE mcdisk.upload u
       SET state = 'COMPLETE', digest = item.digest, blob_key = item.blob_key, completed_at = $8::bigint,
           received_size = u.size, lock_holder = NULL, lock_until = NULL, lock_wanted = false
      FROM item WHERE u.content_id = item.content_id
    RETURNING u.content_id, u.cloud_id, u.name, u.size, u.principal
  )
  INSERT INTO mcdisk.content (content_id, cloud_id, parent_catalog_id, cid, blob_key, name, size, digest, type,
                              media_type, uploader, state, created_at, updated_at)
  SELECT done.content_id, done.cloud_id, item.parent_catalog_id, item.cid, item.blob_key, done.name, done.size,
         item.digest, item.type, item.media_type, done.principal, 'ACTIVE', $8::bigint, $8::bigint
    FROM done JOIN item USING (content_id)`);

/** Raw SQL: locks the rows in id order and updates a set. Prepared, because each group commit executes it. */
export const APPLY_USAGE = prepared(`
  WITH increase AS MATERIALIZED (
    SELECT c.cloud_id, g.bytes
      FROM mcdisk.family_cloud c JOIN unnest($1::text[], $2::bigint[]) AS g (cloud_id, bytes) USING (cloud_id)
     ORDER BY c.cloud_id FOR NO KEY UPDATE OF c)
  UPDATE mcdisk.family_cloud c
     SET reserved_size = c.reserved_size - increase.bytes, used_size = c.used_size + increase.bytes, updated_at = $3
    FROM increase WHERE c.cloud_id = increase.cloud_id`);

/** Raw SQL: finds one content for each of a set of digests. */
export const LOCK_VISIBLE_DUPLICATES = `
  SELECT seen.digest, seen.size, seen.type, seen.media_type AS "mediaType", seen.shot_at AS "capturedAt",
         b.blob_key AS "blobKey"
    FROM mcdisk.blob b
    JOIN (
      SELECT DISTINCT ON (requested.digest, requested.size) c.*
        FROM unnest($2::text[], $3::bigint[]) AS requested (digest, size)
        JOIN mcdisk.blob e ON e.cloud_id = $1 AND e.digest = requested.digest AND e.size = requested.size
         AND e.state IN ('LIVE', 'CONDEMNED')
        JOIN mcdisk.content c ON c.blob_key = e.blob_key AND c.cloud_id = $1 AND c.state = 'ACTIVE'
       WHERE ${visibilityCondition('c.cid', 4)}
       ORDER BY requested.digest, requested.size, c.content_id
    ) seen ON seen.blob_key = b.blob_key
   WHERE b.state IN ('LIVE', 'CONDEMNED')
   ORDER BY b.blob_key FOR NO KEY UPDATE OF b`;

/**
 * Raw SQL: reads the clock of the database and returns the previous holder. Prepared, because each tus request executes
 * it.
 */
export const ACQUIRE_LEASE = prepared(`
  WITH free AS (
    SELECT content_id, lock_holder FROM mcdisk.upload
     WHERE content_id = $1 AND (lock_holder IS NULL OR lock_until <= ${DATABASE_NOW_MS_SQL}) FOR UPDATE)
  UPDATE mcdisk.upload u SET lock_holder = $2, lock_until = ${DATABASE_NOW_MS_SQL} + $3::bigint, lock_wanted = false
    FROM free WHERE u.content_id = free.content_id
  RETURNING ${UPLOAD_COLUMNS}, free.lock_holder AS "expiredHolder"`);

/** Raw SQL, because it is prepared: a waiting request executes it every 200 ms. */
export const REQUEST_LEASE_RELEASE = prepared(`
  UPDATE mcdisk.upload SET lock_wanted = true
   WHERE content_id = $1 AND lock_holder IS NOT NULL AND NOT lock_wanted`);

/**
 * Raw SQL: reads the clock of the database. Prepared, because each upload in progress executes it every two seconds.
 */
export const RENEW_LEASE = prepared(`
  UPDATE mcdisk.upload SET lock_until = ${DATABASE_NOW_MS_SQL} + $3::bigint
   WHERE content_id = $1 AND lock_holder = $2 AND state IN ('PENDING', 'RECEIVING')
   RETURNING lock_wanted AS "releaseRequested"`);

/** Raw SQL: the new values depend on the row. Prepared, because each tus request executes it. */
export const RELEASE_LEASE = prepared(`
  UPDATE mcdisk.upload
     SET lock_holder = CASE WHEN $3::boolean THEN lock_holder END,
         lock_until = CASE WHEN $3::boolean THEN 0 END, lock_wanted = false
   WHERE content_id = $1 AND lock_holder = $2`);

/** Raw SQL: writes two tables if the lease is valid. Prepared, because each resumable upload executes it. */
export const START_RECEIVING = prepared(`
  WITH started AS (
    UPDATE mcdisk.upload SET state = 'RECEIVING', blob_key = $3, received_size = 0, expires_at = $5
     WHERE content_id = $1 AND lock_holder = $2 AND state IN ('PENDING', 'RECEIVING')
     RETURNING cloud_id)
  INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since)
  SELECT $3::uuid, cloud_id, 'STAGED', $4::bigint FROM started
  RETURNING blob_key`);

/** Raw SQL, because it is prepared: each durable part of an upload executes it. */
export const RECORD_PROGRESS = prepared(`
  UPDATE mcdisk.upload SET received_size = $3, expires_at = $4
   WHERE content_id = $1 AND lock_holder = $2 AND state = 'RECEIVING'
   RETURNING content_id`);
