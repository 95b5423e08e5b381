import { DatabaseError, type PoolClient, type QueryResult } from 'pg';
import type { ReadinessProblem } from '../observability/readiness-check.js';

/**
 * Statements that fail when writes would fail, but need no table: the transaction must not be read-only, the commit
 * writes and flushes a record of about 100 bytes to the write-ahead log, and the rows of `generate_series` exceed
 * `work_mem` and occupy about 400 KiB on the disk of the tables until the statement ends. A small change of a row would
 * not suffice, because it fits into an existing page on a full disk.
 *
 * The statements are one message and hence one transaction, which the server rolls back if one of them fails.
 */
const PROBE_SQL = `
  SET LOCAL work_mem = '64kB';
  SET LOCAL temp_tablespaces = '';
  SELECT current_setting('transaction_read_only') AS read_only,
         CASE current_setting('transaction_read_only')
           WHEN 'off' THEN pg_logical_emit_message(true, 'family-watch', 'readiness')
         END,
         (SELECT count(*) FROM generate_series(1, 30000))`;

/** SQLSTATE of statements that write in a read-only transaction. */
const READ_ONLY_SQLSTATE = '25006';
/**
 * SQLSTATEs of a server that cannot write: read-only, full disk, I/O error, corrupted data. With other errors, such as
 * a timeout or a lost connection, it is unknown whether the server can write.
 */
const WRITES_REJECTED_SQLSTATES = new RegExp(`^(${READ_ONLY_SQLSTATE}|53100|58030|XX00[012])$`);

/**
 * Returns why the server rejects writes, if it does: a full disk, a read-only database, a standby after a failover.
 *
 * @throws Error if it cannot be determined whether the server rejects writes
 */
export async function findWriteProblem(connection: PoolClient): Promise<ReadinessProblem | undefined> {
  try {
    const results = (await connection.query(PROBE_SQL)) as unknown as QueryResult<{ read_only?: string }>[];
    return results.at(-1)?.rows[0]?.read_only === 'off'
      ? undefined
      : toProblem(READ_ONLY_SQLSTATE, 'transactions are read-only');
  } catch (error) {
    if (!(error instanceof DatabaseError) || !WRITES_REJECTED_SQLSTATES.test(error.code ?? '')) throw error;
    return toProblem(error.code ?? '', error.message);
  }
}

function toProblem(code: string, reason: string): ReadinessProblem {
  return { message: `The database rejects writes (SQLSTATE ${code})`, fields: { code, reason } };
}
