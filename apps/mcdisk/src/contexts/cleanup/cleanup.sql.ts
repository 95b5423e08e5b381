import type { CleanupKind } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { LOCKED_COLUMNS } from '../clouds/content-columns.js';

/**
 * Selects the contents to clean up among the next contents of the table. The parameter `$3` is the subject of the task.
 */
function scanContentsSql(condition: string): string {
  return `
  SELECT (array_agg(content_id ORDER BY content_id DESC))[1] AS last,
         coalesce(array_agg(content_id) FILTER (WHERE ${condition}), '{}') AS found
    FROM (SELECT content_id, cloud_id, cid, uploader, state FROM mcdisk.content
           WHERE content_id > $1 ORDER BY content_id LIMIT $2) page`;
}

/** Raw SQL: aggregates a page of the table. */
export const SCAN_CONTENTS: Readonly<Record<CleanupKind, string>> = {
  FAMILY: scanContentsSql(`cloud_id = $3 AND state = 'PURGED'`),
  CHILD: scanContentsSql(`cid = $3`),
  ACCOUNT: scanContentsSql(`uploader = 'user:' || $3`),
};

function lockActiveSql(condition: string): string {
  return `
  SELECT ${LOCKED_COLUMNS} FROM mcdisk.content
   WHERE content_id IN (SELECT content_id FROM mcdisk.content WHERE state = 'ACTIVE' AND ${condition} LIMIT $2)
     AND state = 'ACTIVE'
   ORDER BY content_id FOR NO KEY UPDATE`;
}

/** Raw SQL: a subquery limits the rows before they are locked in id order. */
export const LOCK_ACTIVE_CONTENTS = lockActiveSql('cloud_id = $1');

/** Raw for the same reason as {@link LOCK_ACTIVE_CONTENTS}. */
export const LOCK_ACTIVE_CONTENTS_OF_CHILD = lockActiveSql('cloud_id = $1 AND cid = $3');

/** Raw SQL: changes one field of a JSON value. The snapshot of a dissolved family still names its last owner. */
export const CLEAR_OWNERS = `
  UPDATE mcdisk.family_projection SET snapshot = jsonb_set(snapshot, '{ownerUserId}', '"erased"')
  WHERE family_id = ANY($1::text[]) AND snapshot ->> 'ownerUserId' = $2`;
