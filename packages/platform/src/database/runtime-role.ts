import type { Client } from 'pg';
import { quoteIdentifier } from './connection.js';

/**
 * Gives the run-time role what an app does with its schema, rows and sequences, and nothing else (security.md A11):
 * no CREATE, TRUNCATE, REFERENCES or TRIGGER, and the list of migrations only to read. Tables that the owner makes
 * later (partitions) follow by default privileges.
 *
 * @param client - connection of the schema's owner
 * @param migrationsTable - the table of the schema that the role may only read
 */
export async function grantRuntimeRole(
  client: Client,
  schema: string,
  role: string,
  migrationsTable: string,
): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  if (rowCount === 0) throw new Error(`The role ${role} of DATABASE_URL does not exist in the database.`);
  const [inSchema, to] = [quoteIdentifier(schema), quoteIdentifier(role)];
  const rows = 'SELECT, INSERT, UPDATE, DELETE ON';
  const future = `ALTER DEFAULT PRIVILEGES IN SCHEMA ${inSchema}`;
  await client.query('BEGIN');
  try {
    await client.query(`REVOKE CREATE ON SCHEMA ${inSchema} FROM PUBLIC, ${to}`);
    await client.query(`GRANT USAGE ON SCHEMA ${inSchema} TO ${to}`);
    await client.query(`GRANT ${rows} ALL TABLES IN SCHEMA ${inSchema} TO ${to}`);
    await client.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${inSchema} TO ${to}`);
    await client.query(`${future} GRANT ${rows} TABLES TO ${to}`);
    await client.query(`${future} GRANT USAGE ON SEQUENCES TO ${to}`);
    await client.query(`REVOKE INSERT, UPDATE, DELETE ON ${inSchema}.${quoteIdentifier(migrationsTable)} FROM ${to}`);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
