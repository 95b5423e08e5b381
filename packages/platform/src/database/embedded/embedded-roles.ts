import { Client } from 'pg';

/** Database of the embedded cluster with a schema per app. */
export const EMBEDDED_DATABASE_NAME = 'family_watch';
/** Owner of the database, for migrations and partition maintenance. */
export const EMBEDDED_OWNER_ROLE = 'family_watch_owner';
/** Role of all queries at runtime: no DDL, not even temporary tables. */
export const EMBEDDED_APP_ROLE = 'family_watch_app';

/**
 * Creates missing roles and the database. Runs at every start, because the first start may have been interrupted after
 * `initdb`.
 *
 * @param adminUrl - connection URL of the superuser
 * @param password - for TCP connections
 */
export async function ensureDatabase(adminUrl: string, password: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    for (const role of [EMBEDDED_OWNER_ROLE, EMBEDDED_APP_ROLE]) {
      const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
      if (rowCount === 0) await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
    }
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [EMBEDDED_DATABASE_NAME]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${EMBEDDED_DATABASE_NAME} OWNER ${EMBEDDED_OWNER_ROLE}`);
    await client.query(`REVOKE ALL ON DATABASE ${EMBEDDED_DATABASE_NAME} FROM PUBLIC`);
    await client.query(`GRANT CONNECT ON DATABASE ${EMBEDDED_DATABASE_NAME} TO ${EMBEDDED_APP_ROLE}`);
  } finally {
    await client.end();
  }
}
