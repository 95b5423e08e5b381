import { restoredEventBusSql } from '@family-watch/event-bus/event-bus-schema';
import type { RestoreContext, RestoreStep } from '@family-watch/platform/database/restore-steps';

/**
 * Raw SQL: a restore corrects whole tables without an application.
 *
 * Condemned blobs whose grace period ended during the backup have no bytes any more; their deletion is completed. Signed
 * URLs, valid for five minutes, end.
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
    { sql: 'DELETE FROM mcdisk.link_key' },
  ];
}
