import { restoredEventBusSql } from '@family-watch/event-bus/event-bus-schema';
import type { RestoreContext, RestoreStep } from '@family-watch/platform/database/schema-restore';

/**
 * Raw SQL: a restore corrects whole tables without an application.
 *
 * Clients may have received messages that were stored after the backup. Their sequence numbers will be assigned again,
 * so the epoch changes, and these clients receive all retained messages. Notifications that were not sent at the time of
 * the backup may have been sent since. Events that were not handled then cause no notifications either
 * (`UPSERT_REQUESTS`).
 */
export function gatewayRestoreSteps(context: RestoreContext): RestoreStep[] {
  const { snapshotAt, restoredAt, renewsSecrets, hasNewKey } = context;
  return [
    ...restoredEventBusSql('gateway', snapshotAt).map((sql) => ({ sql })),
    { sql: 'UPDATE gateway.epoch SET epoch = greatest(epoch + 1, $1), restored_at = $1', parameters: [restoredAt] },
    { sql: 'DELETE FROM gateway.push_request', report: 'push notifications that waited to be sent were dropped' },
    // An alert that no device receives in time is sent by SMS.
    { sql: 'DELETE FROM gateway.alert', report: 'urgent alerts that waited to be received were dropped' },
    { sql: 'DELETE FROM gateway.video_call WHERE due_at IS NOT NULL', report: 'video calls in progress were dropped' },
    { sql: 'DELETE FROM gateway.connection' },
    { sql: 'DELETE FROM gateway.node' },
    // Web Push subscriptions are bound to the key; the tokens of the other services are bound to the session.
    ...(renewsSecrets || hasNewKey ? [{ sql: 'DELETE FROM gateway.push_key' }] : []),
    {
      sql: `DELETE FROM gateway.push_token WHERE $1 OR ($2 AND service = 'WEB_PUSH')`,
      parameters: [renewsSecrets, hasNewKey],
      report: 'push tokens were deleted; apps register again',
    },
  ];
}
