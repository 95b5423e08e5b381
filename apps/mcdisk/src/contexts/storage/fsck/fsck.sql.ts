import { isReferencedSql } from '../storage.sql.js';
import { FINDING } from './fsck-report.js';
import type { FindingKind } from './fsck-report.js';

/** Selects the stored usage counters of each cloud, and the usage computed from its contents and uploads. */
const ACTUAL_USAGE_SQL = `
  SELECT c.cloud_id, c.used_size, c.recycle_size, c.reserved_size, c.content_count,
         ((SELECT count(*) FROM mcdisk.content WHERE cloud_id = c.cloud_id AND state <> 'PURGED')
          + (SELECT count(*) FROM mcdisk.upload
              WHERE cloud_id = c.cloud_id AND state IN ('PENDING', 'RECEIVING')))::integer AS contents,
         coalesce((SELECT sum(size) FROM mcdisk.content
                    WHERE cloud_id = c.cloud_id AND state = 'ACTIVE'), 0)::bigint AS used,
         coalesce((SELECT sum(size) FROM mcdisk.content
                    WHERE cloud_id = c.cloud_id AND state = 'RECYCLED'), 0)::bigint AS recycled,
         coalesce((SELECT sum(size) FROM mcdisk.upload
                    WHERE cloud_id = c.cloud_id AND state IN ('PENDING', 'RECEIVING')), 0)::bigint AS reserved
    FROM mcdisk.family_cloud c`;

/** Raw SQL: each check compares tables in one snapshot of the database. */
export const CONSISTENCY_CHECKS: Partial<Record<FindingKind, string>> = {
  [FINDING.CONTENT_WITHOUT_BLOB]: `
    SELECT c.content_id AS subject, 'blob ' || b.blob_key || ' is ' || b.state AS detail
      FROM mcdisk.content c JOIN mcdisk.blob b ON b.blob_key = c.blob_key
     WHERE c.state <> 'PURGED' AND (b.state NOT IN ('LIVE', 'CONDEMNED') OR b.cloud_id IS DISTINCT FROM c.cloud_id)
    UNION ALL
    SELECT f.image_id, 'blob ' || b.blob_key || ' of this firmware image is ' || b.state
      FROM mcdisk.firmware_image f JOIN mcdisk.blob b ON b.blob_key = f.blob_key
     WHERE b.state NOT IN ('LIVE', 'CONDEMNED')
    UNION ALL
    SELECT e.export_id, 'blob ' || b.blob_key || ' of this export is ' || b.state
      FROM mcdisk.export_archive e JOIN mcdisk.blob b ON b.blob_key = e.blob_key
     WHERE b.state NOT IN ('LIVE', 'CONDEMNED')`,
  [FINDING.CATALOG_CHAIN]: `
    SELECT k.catalog_id AS subject, 'its path does not match that of its parent folder' AS detail
      FROM mcdisk.catalog k LEFT JOIN mcdisk.catalog p ON p.catalog_id = k.parent_catalog_id
     WHERE k.chain <> coalesce(p.chain, '{}') || k.catalog_id OR k.cloud_id <> coalesce(p.cloud_id, k.cloud_id)
    UNION ALL
    SELECT c.content_id, 'its folder belongs to another cloud'
      FROM mcdisk.content c JOIN mcdisk.catalog k ON k.catalog_id = c.parent_catalog_id
     WHERE c.cloud_id <> k.cloud_id`,
  [FINDING.QUOTA]: `
    SELECT cloud_id AS subject,
           format('used %s, expected %s; recycled %s, expected %s; reserved %s, expected %s; contents %s, expected %s', used_size, used,
                  recycle_size, recycled, reserved_size, reserved, content_count, contents) AS detail
      FROM (${ACTUAL_USAGE_SQL}) s
     WHERE (used_size, recycle_size, reserved_size, content_count) <> (used, recycled, reserved, contents)`,
  [FINDING.RENDITION]: `
    SELECT r.source_key AS subject, r.kind || ': its source is ' || s.state || ', its bytes are ' || b.state AS detail
      FROM mcdisk.rendition r
      JOIN mcdisk.blob s ON s.blob_key = r.source_key JOIN mcdisk.blob b ON b.blob_key = r.blob_key
     WHERE r.state = 'READY' AND (s.state NOT IN ('LIVE', 'CONDEMNED') OR b.state NOT IN ('LIVE', 'CONDEMNED'))`,
};

/** Raw SQL: the conditions on other tables. */
export const FIND_STUCK = `
  SELECT b.blob_key AS subject, b.state, 'since ' || to_timestamp(b.state_since / 1000) AS detail
    FROM mcdisk.blob b
   WHERE b.state_since < $1
     AND (b.state = 'DELETING' OR (b.state = 'STAGED' AND NOT ${isReferencedSql('b')}))`;

/** Raw SQL: subqueries count the contents, firmware images and archives of each blob. */
export const COUNT_CONTENTS_OF_EXPECTED_BLOBS = `
  SELECT b.blob_key AS key,
         (SELECT count(*) FROM mcdisk.content c
           WHERE c.cloud_id = b.cloud_id AND c.blob_key = b.blob_key AND c.state <> 'PURGED')
         + (SELECT count(*) FROM mcdisk.firmware_image f WHERE f.blob_key = b.blob_key)
         + (SELECT count(*) FROM mcdisk.export_archive e WHERE e.blob_key = b.blob_key) AS contents
    FROM mcdisk.blob b WHERE b.blob_key = ANY ($1::uuid[]) AND b.state IN ('LIVE', 'CONDEMNED')`;

/** Raw SQL: compares two tables that are not joined. */
export const FIND_NEWEST_CHANGE_TIME = `
  SELECT greatest((SELECT max(state_since) FROM mcdisk.blob), (SELECT max(marked_at) FROM mcdisk.store_mark), 0)
         AS newest`;

/** Raw SQL: stores sums over other tables. */
export const CORRECT_QUOTA = `
  UPDATE mcdisk.family_cloud cloud
     SET used_size = s.used, recycle_size = s.recycled, reserved_size = s.reserved, content_count = s.contents
    FROM (${ACTUAL_USAGE_SQL} WHERE c.cloud_id = $1) s WHERE cloud.cloud_id = s.cloud_id`;

/** Raw SQL: the join with another table. */
export const DELETE_RENDITION_OF_DELETED_SOURCE = `
  DELETE FROM mcdisk.rendition r USING mcdisk.blob s
   WHERE r.source_key = $1 AND s.blob_key = r.source_key AND s.state IN ('DELETING', 'GONE')`;

/** Raw SQL: the join with another table. */
export const REQUEUE_RENDITION_WITHOUT_BYTES = `
  UPDATE mcdisk.rendition r SET state = 'WAITING', blob_key = NULL, attempts = 0, due_at = $2
    FROM mcdisk.blob b
   WHERE r.source_key = $1 AND r.state = 'READY' AND b.blob_key = r.blob_key
     AND b.state NOT IN ('LIVE', 'CONDEMNED')`;

/** Raw SQL: the conditions on other tables. */
export const ABANDON_STAGED_IF_UNREFERENCED = `
  UPDATE mcdisk.blob b SET state = 'DELETING', state_since = $2
   WHERE b.blob_key = $1 AND b.state = 'STAGED' AND NOT ${isReferencedSql('b')} RETURNING b.blob_key`;
