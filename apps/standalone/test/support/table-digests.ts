import { setTimeout as sleep } from 'node:timers/promises';
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

const DIGEST_INTERVAL_MS = 400;

/** Waits until all published events have been processed. @param ids - see {@link tableDigests} */
export async function waitUntilEventsProcessed(service: TestService, ids?: readonly string[]): Promise<void> {
  let [before, after] = ['', JSON.stringify(await tableDigests(service, ids))];
  while (before !== after) {
    await sleep(DIGEST_INTERVAL_MS);
    [before, after] = [after, JSON.stringify(await tableDigests(service, ids))];
  }
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
      WHERE n.nspname IN ('userctx', 'mcdisk', 'gateway') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname <> ALL ($1)`,
    [JOB_TABLES],
  );
  const digests = await service.query<{ table: string; digest: string }>(
    tables
      .map(({ schema, name }) => {
        const row = name === 'outbox' ? 't.id::text' : 't::text';
        return `SELECT '${schema}.${name}' AS table, md5(coalesce(string_agg(${row}, E'\\n' ORDER BY ${row}), ''))
                    AS digest FROM ${schema}.${name} t WHERE t::text LIKE ANY ($1)`;
      })
      .join(' UNION ALL '),
    [ids?.map((id) => `%${id}%`) ?? ['%']],
  );
  return Object.fromEntries(digests.map(({ table, digest }) => [table, digest]));
}
