import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { DataSource, MigrationExecutor, type MigrationInterface } from 'typeorm';
import {
  openDedicatedConnection,
  quoteIdentifier,
  roleFromUrl,
  toDatabaseStartError,
  type DatabaseAddress,
} from './connection.js';
import { grantRuntimeRole } from './runtime-role.js';

export interface MigrationOptions {
  /** Name of the app, for `application_name`. */
  readonly name: string;
  /** The app's schema; it is made when it does not exist. */
  readonly schema: string;
  /** Connection of the run-time role, DATABASE_URL. */
  readonly url: string;
  /** Connection of the owner, MIGRATION_DATABASE_URL; the run-time role migrates unless given. */
  readonly migrationUrl?: string;
  /** Classes with plain SQL that names the schema; their names end with a timestamp, as TypeORM wants it. */
  readonly migrations: readonly (new () => MigrationInterface)[];
}

/** Table in each schema that remembers which migrations have run. */
const MIGRATIONS_TABLE = 'migrations';

/**
 * Brings an app's schema up to date: one process at a time (an advisory lock on a connection of its own), all
 * pending migrations in one transaction, then the rights of the run-time role.
 *
 * @returns names of the migrations that ran now
 * @throws DatabaseStartError when the database cannot be opened
 */
export async function migrateAppDatabase(options: MigrationOptions): Promise<string[]> {
  const { name, schema, url, migrationUrl } = options;
  const address: DatabaseAddress = migrationUrl
    ? { url: migrationUrl, variable: 'MIGRATION_DATABASE_URL' }
    : { url, variable: 'DATABASE_URL' };
  const client = await openDedicatedConnection(address, `family-watch:${name}:migrate`);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lockKey(schema)]);
    await createSchema(client, schema);
    const executed = await runMigrations(options, address);
    const [owner, role] = [roleFromUrl(address.url), roleFromUrl(url)];
    if (role && role !== owner) await grantRuntimeRole(client, schema, role, MIGRATIONS_TABLE);
    return executed;
  } finally {
    // Ends the lock as well.
    await client.end();
  }
}

/** `CREATE SCHEMA IF NOT EXISTS` asks for the right to create even when there is nothing to do. */
async function createSchema(client: Client, schema: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${quoteIdentifier(schema)}`);
}

async function runMigrations(
  { name, schema, migrations }: MigrationOptions,
  address: DatabaseAddress,
): Promise<string[]> {
  const dataSource = new DataSource({
    type: 'postgres',
    schema,
    migrations: [...migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    synchronize: false,
    installExtensions: false,
    logging: false,
    extra: { connectionString: address.url, application_name: `family-watch:${name}:migrate`, max: 2 },
  });
  try {
    await dataSource.initialize();
  } catch (error) {
    throw toDatabaseStartError(address, error);
  }
  try {
    const executed = await new MigrationExecutor(dataSource).executePendingMigrations();
    return executed.map((migration) => migration.name);
  } finally {
    await dataSource.destroy();
  }
}

/** A key per schema out of the 64 bits of advisory locks; text, because it passes what a number can hold. */
function lockKey(schema: string): string {
  const digest = createHash('sha256').update(`family-watch:migrate:${schema}`).digest();
  return digest.readBigInt64BE().toString();
}
