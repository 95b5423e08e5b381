import { setTimeout as sleep } from 'node:timers/promises';
import type { TestService } from './test-service.js';

/** Tables that say how work is going and nothing of any family. */
const BOOKKEEPING: readonly string[] = [
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

const QUIET_MS = 400;

/** Waits until what was asked for so far has arrived in every context. @param ids - as of {@link tableDigests} */
export async function untilQuiet(service: TestService, ids?: readonly string[]): Promise<void> {
  let [before, after] = ['', JSON.stringify(await tableDigests(service, ids))];
  while (before !== after) {
    await sleep(QUIET_MS);
    [before, after] = [after, JSON.stringify(await tableDigests(service, ids))];
  }
}

/**
 * One digest of the rows of each table, in no order. Of the outbox it tells which events there are, not if they left.
 *
 * @param ids - only of rows that contain one of them; without, of all rows, which only a service of the suite's own has
 */
export async function tableDigests(service: TestService, ids?: readonly string[]): Promise<Record<string, string>> {
  const tables = await service.query<{ schema: string; name: string }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname IN ('userctx', 'mcdisk', 'gateway') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname <> ALL ($1)`,
    [BOOKKEEPING],
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
