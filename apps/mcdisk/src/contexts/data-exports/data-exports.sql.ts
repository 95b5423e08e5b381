import { visibilityCondition } from '../clouds/visibility-condition.js';
import { PRESENTED_COLUMNS } from '../clouds/content-columns.js';

/**
 * Raw SQL: claims a row with SKIP LOCKED in a subquery. Returns the key of the bytes that an earlier process may have
 * staged.
 */
export const CLAIM_ARCHIVE = `
  with due as (
    select export_id, staged_key from mcdisk.export_archive
     where blob_key is null and due_at <= $1 order by due_at limit 1 for update skip locked)
  update mcdisk.export_archive archive set due_at = $2, staged_key = $3, attempts = archive.attempts + 1
    from due where archive.export_id = due.export_id
  returning archive.export_id as "exportId", archive.user_id as "userId", archive.attempts,
            due.staged_key as "previousKey"`;

/** Raw SQL: a sum over two tables. */
export const SUM_ARCHIVE_SIZES = `
  select coalesce(sum(blob.size), 0)::bigint as bytes
    from mcdisk.export_archive archive join mcdisk.blob blob on blob.blob_key = archive.blob_key`;

/** Raw SQL: contains the SQL condition of visibility. */
export const LIST_VISIBLE_CONTENTS = `
  select ${PRESENTED_COLUMNS}, cid, media_type as "mediaType" from mcdisk.content
   where cloud_id = $1 and state = 'ACTIVE' and ${visibilityCondition('cid', 2)} and content_id > $4
   order by content_id limit $5`;
