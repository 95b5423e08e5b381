import type { Client } from 'pg';
import { quoteIdentifier } from './connection.js';

/**
 * Grants the runtime role the privileges that an app needs on its schema, rows and sequences, and no others: no CREATE,
 * TRUNCATE, REFERENCES or TRIGGER, and only SELECT on the list of migrations. Default privileges cover tables that the
 * owner creates later (partitions).
 *
 * @param client - connection of the schema's owner
 * @param migrationsTable - the table that the role may only read
 */
export async function grantRuntimeRole(
  client: Client,
  schema: string,
  role: string,
  migrationsTable: string,
): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  if (rowCount === 0) throw new Error(`The role ${role} of DATABASE_URL does not exist in the database.`);
  const [quotedSchema, quotedRole] = [quoteIdentifier(schema), quoteIdentifier(role)];
  const rows = 'SELECT, INSERT, UPDATE, DELETE ON';
  const future = `ALTER DEFAULT PRIVILEGES IN SCHEMA ${quotedSchema}`;
  await client.query('BEGIN');
  try {
    await client.query(`REVOKE CREATE ON SCHEMA ${quotedSchema} FROM PUBLIC, ${quotedRole}`);
    await client.query(`GRANT USAGE ON SCHEMA ${quotedSchema} TO ${quotedRole}`);
    await client.query(`GRANT ${rows} ALL TABLES IN SCHEMA ${quotedSchema} TO ${quotedRole}`);
    await client.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${quotedSchema} TO ${quotedRole}`);
    await client.query(`${future} GRANT ${rows} TABLES TO ${quotedRole}`);
    await client.query(`${future} GRANT USAGE ON SEQUENCES TO ${quotedRole}`);
    await client.query(
      `REVOKE INSERT, UPDATE, DELETE ON ${quotedSchema}.${quoteIdentifier(migrationsTable)} FROM ${quotedRole}`,
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
