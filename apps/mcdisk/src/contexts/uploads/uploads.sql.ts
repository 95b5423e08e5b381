import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';

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
export const UPLOAD_COLUMNS = Object.entries(COLUMN_BY_PROPERTY)
  .map(([property, column]) => `u.${column} AS "${property}"`)
  .join(', ');

/** Raw because it inserts a set of rows. */
export const INSERT_UPLOADS = `
  INSERT INTO mcdisk.upload (content_id, task_id, cloud_id, principal, session_id, parent_catalog_id, token_hash, name,
                             size, digest, state, blob_key, created_at, expires_at, completed_at, received_size)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::bytea[], $8::text[],
                       $9::bigint[], $10::text[], $11::text[], $12::uuid[], $13::bigint[], $14::bigint[],
                       $15::bigint[], $16::bigint[])`;

/** Raw because it is prepared: each request to an upload URL executes it. */
export const FIND_UPLOADS_WITH_FAMILY = `
  SELECT ${UPLOAD_COLUMNS}, p.snapshot AS family
    FROM mcdisk.upload u JOIN mcdisk.family_projection p ON p.family_id = u.cloud_id
   WHERE u.token_hash = ANY($1::bytea[])`;

/** Raw because it locks rows in id order in a subquery. */
export const TERMINATE_UPLOADS = `
  UPDATE mcdisk.upload SET state = $2
   WHERE content_id IN (
     SELECT content_id FROM mcdisk.upload
      WHERE content_id = ANY($1::uuid[]) AND state IN ('PENDING', 'RECEIVING')
        AND ($3::uuid IS NULL OR lock_holder = $3)
      ORDER BY content_id FOR UPDATE)
   RETURNING content_id AS "contentId", cloud_id AS "cloudId", size, blob_key AS "blobKey",
             lock_holder AS "leaseHolder"`;

/** Raw because it claims rows with SKIP LOCKED in a subquery. */
export const EXPIRE_OVERDUE_UPLOADS = `
  UPDATE mcdisk.upload SET state = 'EXPIRED'
   WHERE content_id IN (
     SELECT content_id FROM mcdisk.upload
      WHERE state IN ('PENDING', 'RECEIVING') AND expires_at <= $1
      ORDER BY content_id LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING cloud_id AS "cloudId", size`;

/** Raw because it deletes a limited number of rows. */
export const DELETE_TERMINATED_UPLOADS = `
  DELETE FROM mcdisk.upload WHERE content_id IN (
    SELECT content_id FROM mcdisk.upload
     WHERE created_at < $1 AND state NOT IN ('PENDING', 'RECEIVING') LIMIT $2)
  RETURNING content_id`;
