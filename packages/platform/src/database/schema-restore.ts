import type { Client } from 'pg';
import type { ListedDeletion } from '@family-watch/domain/privacy/contracts/account-deletion';
import { quoteIdentifier } from './connection.js';

/** What the statements after a restore depend on. Times are Unix milliseconds. */
export interface RestoreContext {
  /** Time of the backup's snapshot. */
  snapshotAt: number;
  restoredAt: number;
  /** Whether everything that depends on the previous secrets ends. */
  renewsSecrets: boolean;
  /** Whether SECRET_KEY of the app is another one than at the time of the backup. */
  hasNewKey: boolean;
  /** Keys of the blobs whose bytes the blob store did not have at the time of the backup. */
  missingBlobs: readonly string[];
  /** Deletions of accounts that this backup and others have seen. */
  deletions: readonly ListedDeletion[];
}

/** A statement that corrects restored rows of one schema. */
export interface RestoreStep {
  sql: string;
  parameters?: readonly unknown[];
  /** What the statement did, printed with the number of rows if it changed any. */
  report?: string;
}

/**
 * Comment on a schema while a restore fills it. The schema cannot be used until the restore has been completed or
 * repeated.
 */
const UNFINISHED_RESTORE = 'family-watch: unfinished restore';

/** Returns whether a restore of this schema has begun and not ended. */
export async function isRestoreUnfinished(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ comment: string | null }>(
    `SELECT obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  return rows[0]?.comment === UNFINISHED_RESTORE;
}

/** Returns whether the schema does not exist or contains nothing. */
export async function isSchemaEmpty(client: Client, schema: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = $1 LIMIT 1',
    [schema],
  );
  return rowCount === 0;
}

/**
 * Creates the schema, marked as unfinished. Deletes its tables, which the caller must have found to be those of an
 * unfinished restore.
 */
export async function beginSchemaRestore(client: Client, schema: string): Promise<void> {
  const name = quoteIdentifier(schema);
  await inTransaction(client, async () => {
    if (!(await isSchemaEmpty(client, schema))) await client.query(`DROP SCHEMA ${name} CASCADE`);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${name}`);
    await client.query(`COMMENT ON SCHEMA ${name} IS ${client.escapeLiteral(UNFINISHED_RESTORE)}`);
  });
}

/** Makes the schema usable. */
export async function completeSchemaRestore(client: Client, schema: string): Promise<void> {
  await client.query(`COMMENT ON SCHEMA ${quoteIdentifier(schema)} IS NULL`);
}

/** Runs the steps in one transaction. Returns the reports of those that changed rows. */
export function runRestoreSteps(client: Client, steps: readonly RestoreStep[]): Promise<string[]> {
  return inTransaction(client, async () => {
    const reports: string[] = [];
    for (const { sql, parameters = [], report } of steps) {
      const { rowCount } = await client.query(sql, [...parameters]);
      if (report !== undefined && rowCount) reports.push(`${rowCount} ${report}`);
    }
    return reports;
  });
}

/** Closing the connection rolls back the transaction of failed work. */
export async function inTransaction<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN');
  const result = await work();
  await client.query('COMMIT');
  return result;
}
