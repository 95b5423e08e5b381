import { restoredEventBusSql } from '@family-watch/event-bus/event-bus-schema';
import type { RestoreContext, RestoreStep } from '@family-watch/platform/database/schema-restore';

/**
 * Age from which an SOS that nobody has acknowledged is not escalated any more. An alert SMS is outdated at this age
 * too. Milliseconds.
 */
const MAX_SOS_AGE_MS = 15 * 60_000;

/**
 * Time after a restore in which a person can cancel a deletion again that was cancelled after the last backup.
 * Milliseconds.
 */
const CANCELLATION_TIME_MS = 3 * 24 * 60 * 60_000;

/**
 * Raw SQL: a restore corrects whole tables without an application.
 *
 * SMS that were not sent at the time of the backup may have been sent since, so they are dropped. A recent SOS
 * continues: its next steps notify the contacts. An older SOS ends, because its contacts were notified by the service that was
 * backed up; the next press of the button is a new SOS. Accounts whose deletion a later backup has seen are deleted again,
 * and deletions that were cancelled are not carried out. Codes and links that are valid once may have been used since.
 */
export function userctxRestoreSteps({
  snapshotAt,
  restoredAt,
  renewsSecrets,
  deletions,
}: RestoreContext): RestoreStep[] {
  const fields = `jsonb_build_object('snapshotAt', $2::bigint, 'secrets', $3::text)`;
  return [
    ...restoredEventBusSql('userctx', snapshotAt).map((sql) => ({ sql })),
    { sql: 'delete from userctx.alert_sms', report: 'alert SMS that waited to be sent were dropped' },
    {
      sql: `update userctx.sos set state = 'RESOLVED', next_step_at = null, resolved_at = $1
             where state in ('RAISED', 'NOTIFYING') and last_raised_at < $2`,
      parameters: [restoredAt, restoredAt - MAX_SOS_AGE_MS],
      report: 'SOS calls older than 15 minutes were ended',
    },
    {
      sql: `update userctx.data_export set state = 'ENDED' where state in ('WAITING', 'RUNNING', 'READY')`,
      report: 'exports ended; they can be requested again',
    },
    {
      sql: `delete from userctx.account_deletion where state = 'REQUESTED' and receipt_id = any($1::uuid[])`,
      parameters: [deletions.filter(({ isCancelled }) => isCancelled).map(({ receiptId }) => receiptId)],
      report: 'deletions of accounts had been cancelled after the backup and are not carried out',
    },
    {
      sql: `insert into userctx.account_deletion (receipt_id, user_id, state, requested_at, erase_at, due_at)
            select "receiptId", "userId", 'REQUESTED', "requestedAt", "eraseAt",
                   case when "endedAt" is null then greatest("eraseAt", $2) else "eraseAt" end
              from jsonb_to_recordset($1::jsonb) as listed
                   ("receiptId" uuid, "userId" uuid, "requestedAt" bigint, "eraseAt" bigint, "endedAt" bigint)
             where exists (select from userctx.account where user_id = "userId")
            on conflict do nothing`,
      parameters: [
        JSON.stringify(deletions.filter(({ isCancelled }) => !isCancelled)),
        restoredAt + CANCELLATION_TIME_MS,
      ],
      report: 'deletions of accounts had been requested after the backup and are carried out',
    },
    ...['sign_in_link', 'sms_challenge', 'bind_code', 'family_code', 'friend_code'].map((table) => ({
      sql: `delete from userctx.${table}`,
    })),
    {
      sql: `insert into userctx.operator_audit_entry (entry_id, time, actor, operation, fields, admitted)
            select gen_random_uuid(), $1, 'command-line', 'restore', ${fields} ||
              case when $3 = 'renew' then jsonb_build_object('removedOperators', (
                select coalesce(jsonb_object_agg(operator_id, login_name), '{}') from userctx.operator_account
              )) else '{}' end, true`,
      parameters: [restoredAt, snapshotAt, renewsSecrets ? 'renew' : 'keep'],
    },
    ...(renewsSecrets ? renewalSteps() : []),
  ];
}

/**
 * Ends everything that SECRET_KEY protects. The TOTP secrets of operators are encrypted with it and their recovery codes
 * are keyed digests, so their accounts end. Learned networks are stored under keyed pseudonyms.
 */
function renewalSteps(): RestoreStep[] {
  return [
    { sql: 'delete from userctx.signing_key' },
    { sql: 'delete from userctx.session', report: 'sessions ended; everybody signs in again' },
    {
      sql: 'delete from userctx.operator_account',
      report: 'accounts of operators were removed; create them again with operators create',
    },
    { sql: 'delete from userctx.attempt_counter' },
    { sql: 'delete from userctx.radio_network' },
    { sql: 'delete from userctx.witness_salt' },
  ];
}
