import { contentDigestSql } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { visibilityCondition } from '../../clouds/clouds.sql.js';

/** Raw because it aggregates a page of clouds that may have no contents. */
export const LIST_DIGESTS = `
  SELECT cloud_id AS "cloudId", count(content_id)::int AS count, ${contentDigestSql('content_id::text')} AS digest
    FROM (SELECT cloud_id FROM mcdisk.family_cloud
           WHERE $1::text IS NULL OR cloud_id > $1 ORDER BY cloud_id LIMIT $2) AS page
    LEFT JOIN (SELECT cloud_id, content_id FROM mcdisk.content WHERE state = 'ACTIVE') AS content USING (cloud_id)
   GROUP BY cloud_id ORDER BY cloud_id`;

/** Columns of a {@link LockedContent}, for every statement that locks contents. */
export const LOCKED_COLUMNS = `content_id AS "contentId", cloud_id AS "cloudId",
  parent_catalog_id AS "parentFolderId", cid, blob_key AS "blobKey", size, state`;

/**
 * Raw because it finds contents, locks them in id order and updates them in one statement, to save a round trip. The lock is a
 * separate subquery because an UPDATE locks rows in an order that depends on its plan.
 */
export const RECYCLE_VISIBLE = `
  WITH requested AS MATERIALIZED (
    SELECT content_id, cid, size, state, state = 'ACTIVE' AND ${visibilityCondition('cid', 5)} AS is_recyclable
      FROM mcdisk.content
     WHERE cloud_id = $1 AND content_id = ANY ($2::uuid[]) ORDER BY content_id FOR NO KEY UPDATE
  ), recycled AS (
    UPDATE mcdisk.content c SET state = 'RECYCLED', updated_at = $3, recycled_at = $3, purge_at = $4
      FROM requested WHERE c.content_id = requested.content_id AND requested.is_recyclable
  )
  SELECT content_id AS "contentId", cid, size, state FROM requested`;

/** Raw because ON CONFLICT DO UPDATE computes the later time. */
export const REQUEST_EMPTYING = `
  INSERT INTO mcdisk.bin_emptying AS existing (cloud_id, requested_by, recycled_until) VALUES ($1, $2, $3)
  ON CONFLICT (cloud_id) DO UPDATE
    SET requested_by = excluded.requested_by,
        recycled_until = greatest(existing.recycled_until, excluded.recycled_until)`;
