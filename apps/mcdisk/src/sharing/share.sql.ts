import { visibilityCondition } from '../clouds/visibility-condition.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { PRESENTED_COLUMNS } from '../clouds/content-columns.js';

export const LOCK_VISIBLE_CONTENTS = `
  SELECT content_id AS "contentId" FROM mcdisk.content
   WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) AND state = 'ACTIVE' AND ${visibilityCondition('cid', 3)}
   ORDER BY content_id FOR SHARE`;

export const LOCK_VISIBLE_ALBUM = `
  SELECT FROM mcdisk.album WHERE cloud_id = $1 AND photo_id = $2 AND ${visibilityCondition('cid', 3)} FOR SHARE`;

export const INSERT_SHARE_CONTENTS = `
  INSERT INTO mcdisk.share_content (authorization_id, content_id)
  SELECT $1, content_id FROM unnest($2::uuid[]) AS content_id`;

export const FIND_UNEXPIRED_SHARES = prepared(`
  SELECT authorization_id AS "shareId", cloud_id AS "cloudId", grantee, created_by AS "createdBy",
         catalog_id AS "folderId", photo_id AS "albumId", created_at AS "createdAt", expires_at AS "expiresAt"
    FROM mcdisk.share
   WHERE cloud_id = $1 AND ($2::text IS NULL OR grantee = $2) AND (expires_at IS NULL OR expires_at > $3)
   ORDER BY created_at DESC, authorization_id`);

export const DELETE_SHARES_OF_FORMER_MEMBERS = `
  DELETE FROM mcdisk.share
   WHERE cloud_id = $1 AND (grantee <> ALL($2::text[]) OR created_by <> ALL($2::text[]))
     AND NOT EXISTS (SELECT FROM mcdisk.family_projection WHERE family_id = $1 AND version > $3)`;

export const DELETE_ORPHANED_SHARES = `
  DELETE FROM mcdisk.share USING mcdisk.family_projection p
   WHERE p.family_id = share.cloud_id AND NOT (p.snapshot ->> 'dissolved')::boolean
     AND NOT (p.principals @> ARRAY[share.grantee, share.created_by])`;

export const DELETE_SHARE_CONTENTS_OF_CHILD = `
  DELETE FROM mcdisk.share_content named USING mcdisk.share, mcdisk.content
   WHERE share.authorization_id = named.authorization_id AND share.cloud_id = $1
     AND content.content_id = named.content_id AND content.cid = $2`;

export const DELETE_EMPTY_SHARES = `
  DELETE FROM mcdisk.share
   WHERE cloud_id = $1 AND catalog_id IS NULL AND photo_id IS NULL
     AND NOT EXISTS (SELECT FROM mcdisk.share_content named
                      WHERE named.authorization_id = share.authorization_id)`;

export const DELETE_EXPIRED_SHARES = `
  DELETE FROM mcdisk.share WHERE authorization_id IN (
    SELECT authorization_id FROM mcdisk.share WHERE expires_at <= $1
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING authorization_id`;

/** Selects shares with their visibility. Parameter `$1` is the cloud id, and `$2` contains the shares as JSON. */
const SHARES_SQL = `
  SELECT share.authorization_id, share.catalog_id, share.photo_id, seen."only", seen.cids
    FROM jsonb_to_recordset($2::jsonb) AS seen (id uuid, "only" boolean, cids jsonb)
    JOIN mcdisk.share ON share.authorization_id = seen.id AND share.cloud_id = $1`;

/**
 * Returns the rule of `canSee` as a SQL condition.
 * @param column column with a child id; the row `named` of the statement has the visibility of a share
 */
function isVisibleSql(column: string): string {
  return `(${column} IS NULL OR (named.cids ? ${column}) = named."only")`;
}

const INDIVIDUAL_CONTENTS_SQL = `
  SELECT shares.*, listed.content_id FROM shares JOIN mcdisk.share_content listed USING (authorization_id)`;

/**
 * Selects all contents that the shares show. A shared album that is no longer visible to the creator of the share shows
 * no contents.
 */
const SHARED_CONTENTS_SQL = `
    FROM (${INDIVIDUAL_CONTENTS_SQL}
          UNION ALL
          SELECT named.*, placed.content_id FROM shares named
            JOIN mcdisk.album USING (photo_id) JOIN mcdisk.album_content placed USING (photo_id)
           WHERE ${isVisibleSql('album.cid')}
          UNION ALL
          SELECT shares.*, inside.content_id FROM shares
            JOIN mcdisk.catalog ON catalog.chain @> ARRAY[shares.catalog_id] AND catalog.state = 'ACTIVE'
             AND catalog.cloud_id = $1
            JOIN mcdisk.content inside ON inside.parent_catalog_id = catalog.catalog_id) named
    JOIN mcdisk.content c ON c.content_id = named.content_id
   WHERE c.cloud_id = $1 AND c.state = 'ACTIVE' AND ${isVisibleSql('c.cid')}`;

export const FIND_SHARED_CONTENT = prepared(`
  WITH shares AS (${SHARES_SQL}) SELECT ${SHARED_CONTENTS_SQL} AND c.content_id = $3 LIMIT 1`);

export const LIST_SHARED_CONTENTS = prepared(`
  WITH shares AS (${SHARES_SQL})
  SELECT ${PRESENTED_COLUMNS} FROM mcdisk.content WHERE content_id IN (SELECT c.content_id ${SHARED_CONTENTS_SQL})
   ORDER BY created_at DESC, content_id LIMIT $3 OFFSET $4`);

export const COUNT_SHARED_CONTENTS = prepared(`
  WITH shares AS (${SHARES_SQL}) SELECT count(DISTINCT c.content_id)::int AS count ${SHARED_CONTENTS_SQL}`);

export const FIND_SHARED_MEDIA_TYPES = prepared(`
  WITH shares AS (${SHARES_SQL}) SELECT DISTINCT c.media_type AS "mediaType" ${SHARED_CONTENTS_SQL}`);

export const FIND_INDIVIDUAL_CONTENTS = prepared(`
  WITH shares AS (${SHARES_SQL})
  SELECT named.authorization_id AS "shareId", c.content_id AS "contentId"
    FROM (${INDIVIDUAL_CONTENTS_SQL}) named JOIN mcdisk.content c ON c.content_id = named.content_id
   WHERE c.cloud_id = $1 AND c.state = 'ACTIVE' AND ${isVisibleSql('c.cid')}
   ORDER BY c.created_at DESC, c.content_id`);
