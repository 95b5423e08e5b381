import { visibilityCondition } from '../clouds/clouds.sql.js';
import { SHARED_COLUMNS } from './shared-content.js';

/** Raw because it contains the SQL condition of visibility. */
export const LOCK_VISIBLE_CONTENTS = `
  SELECT content_id AS "contentId" FROM mcdisk.content
   WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) AND state = 'ACTIVE' AND ${visibilityCondition('cid', 3)}
   ORDER BY content_id FOR SHARE`;

/** Raw because it contains the SQL condition of visibility. */
export const LOCK_VISIBLE_ALBUM = `
  SELECT FROM mcdisk.album WHERE cloud_id = $1 AND photo_id = $2 AND ${visibilityCondition('cid', 3)} FOR SHARE`;

/** Raw because it inserts a set of rows. */
export const INSERT_SHARE_CONTENTS = `
  INSERT INTO mcdisk.share_content (authorization_id, content_id)
  SELECT $1, content_id FROM unnest($2::uuid[]) AS content_id`;

/** Raw because it is prepared: members without the right to read have their shares checked by each request. */
export const FIND_UNEXPIRED_SHARES = `
  SELECT authorization_id AS "shareId", cloud_id AS "cloudId", grantee, created_by AS "createdBy",
         catalog_id AS "folderId", photo_id AS "albumId", created_at AS "createdAt", expires_at AS "expiresAt"
    FROM mcdisk.share
   WHERE cloud_id = $1 AND ($2::text IS NULL OR grantee = $2) AND (expires_at IS NULL OR expires_at > $3)
   ORDER BY created_at DESC, authorization_id`;

/** Raw because of the condition on another table. */
export const DELETE_SHARES_OF_FORMER_MEMBERS = `
  DELETE FROM mcdisk.share
   WHERE cloud_id = $1 AND (grantee <> ALL($2::text[]) OR created_by <> ALL($2::text[]))
     AND NOT EXISTS (SELECT FROM mcdisk.family_projection WHERE family_id = $1 AND version > $3)`;

/** Raw because of the join with another table. */
export const DELETE_ORPHANED_SHARES = `
  DELETE FROM mcdisk.share USING mcdisk.family_projection p
   WHERE p.family_id = share.cloud_id AND NOT (p.snapshot ->> 'dissolved')::boolean
     AND NOT (p.principals @> ARRAY[share.grantee, share.created_by])`;

/** Raw because of the joins with other tables. */
export const DELETE_SHARE_CONTENTS_OF_CHILD = `
  DELETE FROM mcdisk.share_content named USING mcdisk.share, mcdisk.content
   WHERE share.authorization_id = named.authorization_id AND share.cloud_id = $1
     AND content.content_id = named.content_id AND content.cid = $2`;

/** Raw because of the condition on another table. */
export const DELETE_EMPTY_SHARES = `
  DELETE FROM mcdisk.share
   WHERE cloud_id = $1 AND catalog_id IS NULL AND photo_id IS NULL
     AND NOT EXISTS (SELECT FROM mcdisk.share_content named
                      WHERE named.authorization_id = share.authorization_id)`;

/** Raw because it claims rows with SKIP LOCKED in a subquery. */
export const DELETE_EXPIRED_SHARES = `
  DELETE FROM mcdisk.share WHERE authorization_id IN (
    SELECT authorization_id FROM mcdisk.share WHERE expires_at <= $1
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING authorization_id`;

/** Raw because ON CONFLICT DO UPDATE has a condition and computes a value. */
export const UPSERT_FRIENDSHIP_IF_NEWER = `
  INSERT INTO mcdisk.friendship AS stored (friendship_id, version, one_cid, other_cid, active, ended_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (friendship_id) DO UPDATE
    SET version = excluded.version, active = excluded.active,
        ended_at = coalesce(excluded.ended_at, stored.ended_at)
    WHERE stored.version < excluded.version`;

/** Raw because it inserts a set of rows. */
export const INSERT_MEDIA_GRANTS = `
  INSERT INTO mcdisk.media_grant
    (content_id, message_id, cloud_id, from_cid, to_cid, to_family_id, granted_at, expires_at)
  SELECT DISTINCT content_id, $2, $3, $4, $5, $6, $7::bigint, $8::bigint FROM unnest($1::uuid[]) AS content_id
  ON CONFLICT DO NOTHING`;

/**
 * Selects a content whose grant is effective. A grant ends when the message expires, the content is deleted, either
 * family is dissolved, or the friendship of the children ends, even if it is renewed later. Raw because it is prepared:
 * each download of a friend's watch executes it.
 */
export const FIND_GRANTED_CONTENT = `
  SELECT ${SHARED_COLUMNS}
    FROM mcdisk.media_grant g
    JOIN mcdisk.content c ON c.content_id = g.content_id AND c.cloud_id = g.cloud_id AND c.state = 'ACTIVE'
    JOIN mcdisk.family_projection p ON p.family_id = g.cloud_id AND NOT (p.snapshot ->> 'dissolved')::boolean
   WHERE g.content_id = $1 AND g.to_family_id = $2 AND g.to_cid = $3 AND g.expires_at > $4
     AND EXISTS (SELECT FROM mcdisk.friendship f
                  WHERE f.one_cid = least(g.from_cid, g.to_cid) AND f.other_cid = greatest(g.from_cid, g.to_cid)
                    AND f.active AND coalesce(f.ended_at, 0) < g.granted_at)
   LIMIT 1`;

/** Raw because it claims rows with SKIP LOCKED in a subquery. */
export const DELETE_EXPIRED_MEDIA_GRANTS = `
  DELETE FROM mcdisk.media_grant WHERE (content_id, message_id, to_cid) IN (
    SELECT content_id, message_id, to_cid FROM mcdisk.media_grant WHERE expires_at <= $1
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING message_id`;

/** Raw because it is prepared: each request of a watch for a content executes it. */
export const FIND_CONTENT_IN_CLOUD = `SELECT FROM mcdisk.content WHERE content_id = $1 AND cloud_id = $2`;
