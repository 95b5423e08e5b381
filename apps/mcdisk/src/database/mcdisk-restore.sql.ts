import { restoredEventBusSql } from '@family-watch/event-bus/event-bus-schema';
import type { RestoreContext, RestoreStep } from '@family-watch/platform/database/schema-restore';

/**
 * Raw SQL: a restore corrects whole tables without an application.
 *
 * Condemned blobs whose grace period ended during the backup have no bytes any more; their deletion is completed. The
 * bytes of uploads in progress are not in a backup, so these uploads start again. Signed URLs, valid for five minutes,
 * end. Exports end in userctx, so their archives are deleted.
 */
export function mcdiskRestoreSteps({ snapshotAt, restoredAt, missingBlobs }: RestoreContext): RestoreStep[] {
  return [
    ...restoredEventBusSql('mcdisk', snapshotAt).map((sql) => ({ sql })),
    {
      sql: `WITH deleted AS (
              UPDATE mcdisk.blob SET state = 'DELETING', state_since = $2
               WHERE blob_key = ANY ($1::uuid[]) AND state = 'CONDEMNED' RETURNING blob_key
            )
            DELETE FROM mcdisk.rendition WHERE source_key IN (SELECT blob_key FROM deleted)`,
      parameters: [missingBlobs, restoredAt],
    },
    {
      sql: `UPDATE mcdisk.upload SET state = 'PENDING', blob_key = NULL, received_size = 0, lock_holder = NULL,
                   lock_until = NULL, lock_wanted = false
             WHERE state = 'RECEIVING'`,
      report: 'uploads in progress start again',
    },
    {
      sql: `UPDATE mcdisk.blob SET state = 'DELETING', state_since = $1 WHERE state = 'STAGED'`,
      parameters: [restoredAt],
    },
    {
      sql: `WITH ended AS (DELETE FROM mcdisk.export_archive RETURNING blob_key)
            UPDATE mcdisk.blob SET state = 'DELETING', state_since = $1 WHERE blob_key IN (SELECT blob_key FROM ended)`,
      parameters: [restoredAt],
    },
    { sql: 'DELETE FROM mcdisk.link_key' },
  ];
}
