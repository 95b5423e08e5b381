import { visibilityCondition } from '../clouds/visibility-condition.js';
import { PRESENTED_COLUMNS } from '../clouds/content-columns.js';

/**
 * Raw SQL: claims a row with SKIP LOCKED in a subquery. Each MiB of an archive counts as a second that the request came
 * later, so that a small archive does not wait for a large one, and no archive waits for all smaller ones. Returns the key
 * of the bytes that an earlier process may have staged.
 */
export const CLAIM_ARCHIVE = `
  with due as (
    select export_id, staged_key from mcdisk.export_archive
     where blob_key is null and due_at <= $1
     order by coalesce(requested_at, due_at) + coalesce(expected_size, 0) / 1024, export_id
     limit 1 for update skip locked)
  update mcdisk.export_archive archive set due_at = $2, staged_key = $3, attempts = archive.attempts + 1
    from due where archive.export_id = due.export_id
  returning archive.export_id as "exportId", archive.user_id as "userId", archive.attempts,
            archive.expected_size as "expectedSize", due.staged_key as "previousKey"`;

/**
 * Raw SQL: a sum over two tables. Archives that are being assembled count with their expected size, and so does the one
 * that was requested first, if it was before this one and has waited since $2: space for it is kept free.
 */
export const SUM_OTHER_ARCHIVES = `
  select coalesce(sum(coalesce(blob.size, archive.expected_size)), 0)::bigint as bytes
    from mcdisk.export_archive archive left join mcdisk.blob blob on blob.blob_key = archive.blob_key
   where archive.export_id <> $1
     and (archive.blob_key is not null or archive.staged_key is not null
          or archive.export_id = (
               select export_id from mcdisk.export_archive waiting
                where waiting.blob_key is null and waiting.staged_key is null
                  and waiting.requested_at
                      < least($2, (select requested_at from mcdisk.export_archive where export_id = $1))
                order by waiting.requested_at, export_id limit 1))`;

/** Raw SQL: skips rows that another transaction has locked, so that two transactions do not wait for each other. */
export const WAKE_POSTPONED = `
  update mcdisk.export_archive set due_at = $1
   where export_id in (select export_id from mcdisk.export_archive
                        where blob_key is null and staged_key is null and attempts = 0 and due_at > $1
                          for update skip locked)`;

/** Raw SQL: contains the SQL condition of visibility. A copied file counts once. */
export const SUM_VISIBLE_FILES = `
  select coalesce(sum(size), 0)::bigint as bytes
    from (select max(size) as size from mcdisk.content
           where cloud_id = $1 and state = 'ACTIVE' and ${visibilityCondition('cid', 2)} group by blob_key) file`;

/** Raw SQL: contains the SQL condition of visibility. */
export const LIST_VISIBLE_CONTENTS = `
  select ${PRESENTED_COLUMNS}, cid, media_type as "mediaType" from mcdisk.content
   where cloud_id = $1 and state = 'ACTIVE' and ${visibilityCondition('cid', 2)} and (blob_key, content_id) > ($4, $5)
     and blob_key is not null
   order by blob_key, content_id limit $6`;
