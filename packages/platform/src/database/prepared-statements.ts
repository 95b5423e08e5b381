import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { PoolClient } from 'pg';
import { QueryFailedError, type QueryRunner } from 'typeorm';
import { DatabaseUnavailableError, isDatabaseUnavailableError } from './database-unavailable.error.js';
import { discardConnection, isReadTimeout, waitForBegin } from './query-guard.js';

const names = new Map<string, string>();

/**
 * Runs a fixed statement as a prepared one: a connection parses and, after a few times, plans it once instead of
 * every time. For the few statements that run all the time; TypeORM cannot name a statement.
 *
 * @throws DatabaseUnavailableError when the database is away or too slow
 * @throws QueryFailedError
 */
export async function queryPrepared<Row>(
  runner: QueryRunner,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  // TypeORM releases a runner whose connection is lost, and would then quietly take another.
  if (runner.isReleased) throw new DatabaseUnavailableError();
  const connection = (await runner.connect()) as PoolClient;
  await waitForBegin(runner, sql);
  try {
    coalesceWrites(connection);
    const { rows } = await connection.query({ name: nameOf(sql), text: sql, values: [...parameters] });
    return rows as Row[];
  } catch (error) {
    if (isReadTimeout(error)) await discardConnection(runner, error);
    if (isDatabaseUnavailableError(error)) throw new DatabaseUnavailableError({ cause: error });
    throw new QueryFailedError(sql, [...parameters], error as Error);
  }
}

/** Statements that are sent in the same turn of the event loop leave in one packet: each costs the kernel the same. */
export function coalesceWrites(connection: PoolClient): void {
  const { stream } = (connection as unknown as { connection: { stream: Duplex } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** The same text has the same name on every connection and in every process. */
function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known) return known;
  const name = `fw_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
  names.set(sql, name);
  return name;
}
