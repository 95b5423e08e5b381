import { Client } from 'pg';

/** Database of the embedded cluster; each app has a schema in it. */
export const EMBEDDED_DATABASE_NAME = 'family_watch';
/** Owns the database: migrations and partition maintenance. */
export const EMBEDDED_OWNER_ROLE = 'family_watch_owner';
/** Role of every query at run time: no DDL, not even temporary tables (security.md A11). */
export const EMBEDDED_APP_ROLE = 'family_watch_app';

/**
 * Makes the roles and the database that are missing. It runs at every start, because a first start may have been
 * cut off between `initdb` and here.
 *
 * @param adminUrl - superuser's connection
 * @param password - for connections by TCP
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
