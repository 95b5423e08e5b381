import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { TestService } from './test-service.js';

/** Tables that contain only the progress of jobs and no data of a family. */
const JOB_TABLES: readonly string[] = [
  'attempt_counter',
  'inbox',
  'link_key',
  'migrations',
  'node',
  'parked',
  'push_request',
  'relay',
  'session_cursor',
  'store_mark',
  'used_nonce',
];

const SCHEMAS: readonly string[] = ['userctx', 'mcdisk', 'gateway'];
const DIGEST_INTERVAL_MS = 400;

/**
 * Waits until all events are published, no failed event waits for its next attempt, and the tables no longer change. On
 * NATS, an event that takes longer than {@link DIGEST_INTERVAL_MS} may still be unprocessed.
 *
 * @param ids - see {@link tableDigests}
 */
export async function waitUntilEventsProcessed(service: TestService, ids?: readonly string[]): Promise<void> {
  let digests = '';
  await waitUntil('processed events and unchanged tables', async () => {
    const before = digests;
    digests = JSON.stringify(await tableDigests(service, ids));
    if (before === digests && !(await hasPendingEvents(service, ids))) return true;
    await sleep(DIGEST_INTERVAL_MS);
    return false;
  });
}

/** Returns whether an event has not been published, or an app has not yet processed it because an attempt failed. */
async function hasPendingEvents(service: TestService, ids?: readonly string[]): Promise<boolean> {
  const pending = SCHEMAS.flatMap((schema) => [
    `SELECT FROM ${schema}.outbox t WHERE confirmed_at IS NULL AND t::text LIKE ANY ($1)`,
    `SELECT FROM ${schema}.parked t WHERE t::text LIKE ANY ($1)`,
  ]);
  return (await service.query(pending.join(' UNION ALL '), [patternsOf(ids)])).length > 0;
}

/**
 * Returns one digest per table, independent of the order of rows. The digest of the outbox ignores whether events are
 * published.
 *
 * @param ids - only rows that contain one of these ids are included; if omitted, the service must not be shared
 */
export async function tableDigests(service: TestService, ids?: readonly string[]): Promise<Record<string, string>> {
  const tables = await service.query<{ schema: string; name: string }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ANY ($2) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname <> ALL ($1)`,
    [JOB_TABLES, SCHEMAS],
  );
  const digests = await service.query<{ table: string; digest: string }>(
    tables
      .map(({ schema, name }) => {
        const row = name === 'outbox' ? 't.id::text' : 't::text';
        return `SELECT '${schema}.${name}' AS table, md5(coalesce(string_agg(${row}, E'\\n' ORDER BY ${row}), ''))
                    AS digest FROM ${schema}.${name} t WHERE t::text LIKE ANY ($1)`;
      })
      .join(' UNION ALL '),
    [patternsOf(ids)],
  );
  return Object.fromEntries(digests.map(({ table, digest }) => [table, digest]));
}

function patternsOf(ids?: readonly string[]): readonly string[] {
  return ids?.map((id) => `%${id}%`) ?? ['%'];
}
