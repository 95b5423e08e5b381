import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import { QueryFailedError, type QueryRunner } from 'typeorm';
import { socketOf } from './connection.js';
import { DatabaseUnavailableError, isDatabaseUnavailableError } from './database-unavailable.error.js';
import { discardConnection, isReadTimeout, waitForBegin } from './query-guard.js';

const statementNames = new Map<string, string>();

/**
 * Executes a fixed statement as a prepared statement: each connection parses the statement once and, after a few
 * executions, plans it once. Prepared statements are for the few very frequent statements; TypeORM does not support
 * named statements.
 *
 * @throws DatabaseUnavailableError if the database is unavailable or too slow
 * @throws QueryFailedError
 */
export async function queryPrepared<Row>(
  runner: QueryRunner,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  // TypeORM releases a runner whose connection is lost and would then silently use another connection.
  if (runner.isReleased) throw new DatabaseUnavailableError();
  const connection = (await runner.connect()) as PoolClient;
  await waitForBegin(runner, sql);
  try {
    coalesceWrites(connection);
    const { rows } = await connection.query({ name: statementNameOf(sql), text: sql, values: [...parameters] });
    return rows as Row[];
  } catch (error) {
    if (isReadTimeout(error)) await discardConnection(runner, error);
    if (isDatabaseUnavailableError(error)) throw new DatabaseUnavailableError({ cause: error });
    throw new QueryFailedError(sql, [...parameters], error as Error);
  }
}

/** Sends statements of the same event loop turn in one packet, because each packet has a fixed cost in the kernel. */
export function coalesceWrites(connection: PoolClient): void {
  const socket = socketOf(connection);
  socket.cork();
  process.nextTick(() => socket.uncork());
}

/** Returns the statement's name: the same text has the same name on every connection and in every process. */
function statementNameOf(sql: string): string {
  const cached = statementNames.get(sql);
  if (cached) return cached;
  const name = `fw_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
  statementNames.set(sql, name);
  return name;
}
