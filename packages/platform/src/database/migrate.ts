import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { DataSource, MigrationExecutor } from 'typeorm';
import {
  quoteIdentifier,
  openDedicatedConnection,
  roleFromUrl,
  toDatabaseStartError,
  type DatabaseAddress,
} from './connection.js';
import { adoptBaseline, type Adoption } from './baseline-adoption.js';
import { recordContractions, type MigrationClass } from './schema-compatibility.js';
import { isRestoreUnfinished } from './schema-restore.js';

export interface MigrationOptions {
  /** Name of the app, for `application_name`. */
  readonly name: string;
  /** The app's schema; it is created if it does not exist. */
  readonly schema: string;
  /** Connection URL of the runtime role (DATABASE_URL). */
  readonly url: string;
  /** Connection URL of the schema's owner (MIGRATION_DATABASE_URL); if absent, the runtime role runs the migrations. */
  readonly migrationUrl?: string;
  /**
   * Migration classes whose plain SQL qualifies tables with the schema. The class names end with a timestamp, as
   * TypeORM requires.
   */
  readonly migrations: readonly MigrationClass[];
  /** How schemas of the last build before 1.0.0 adopt the first migration. */
  readonly adoption?: Adoption;
  /** Tables whose rows the runtime role may neither change nor delete. */
  readonly appendOnlyTables?: readonly string[];
  /** True for the program that restores a backup, which migrates schemas whose restore is unfinished. */
  readonly isRestore?: boolean;
}

/** Table in each schema that lists the executed migrations. */
export const MIGRATIONS_TABLE = 'migrations';

/** Returns the qualified and quoted name of the table that lists the executed migrations of a schema. */
export function migrationsTableOf(schema: string): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(MIGRATIONS_TABLE)}`;
}

/**
 * Migrates an app's schema. An advisory lock on a separate connection ensures that only one process migrates the schema
 * at a time. All pending migrations run in one transaction; then the runtime role gets its privileges.
 *
 * @returns the names of the migrations executed by this call
 * @throws DatabaseStartError if the database cannot be opened, a restore of it did not finish, or the schema cannot adopt
 *   the baseline
 */
export async function migrateAppDatabase(options: MigrationOptions): Promise<string[]> {
  const { name, schema, url, migrationUrl, appendOnlyTables = [] } = options;
  const address: DatabaseAddress = migrationUrl
    ? { url: migrationUrl, variableName: 'MIGRATION_DATABASE_URL' }
    : { url, variableName: 'DATABASE_URL' };
  const client = await openDedicatedConnection(address, `family-watch:${name}:migrate`);
  try {
    await lockMigrations(client, schema);
    await createSchema(client, schema);
    if (!options.isRestore) await assertNotRestoring(client, schema, address);
    const executed = await runMigrations(options, address);
    const [owner, role] = [roleFromUrl(address.url), roleFromUrl(url)];
    if (role && role !== owner) await grantRuntimeRole(client, schema, role, appendOnlyTables);
    return executed;
  } finally {
    // Closing the connection also releases the advisory lock.
    await client.end();
  }
}

/**
 * Creates the schema if needed. `CREATE SCHEMA IF NOT EXISTS` would require the CREATE privilege even if the schema
 * exists.
 */
async function createSchema(client: Client, schema: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${quoteIdentifier(schema)}`);
}

async function assertNotRestoring(client: Client, schema: string, address: DatabaseAddress): Promise<void> {
  if (await isRestoreUnfinished(client, schema))
    throw toDatabaseStartError(address, new Error('a restore did not finish; run `npm run restore` again'));
}

async function runMigrations(
  { name, schema, migrations, adoption }: MigrationOptions,
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
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    const table = migrationsTableOf(schema);
    await adoptBaseline(runner, { name, schema, table, migrations, adoption }).catch((error: unknown) => {
      throw toDatabaseStartError(address, error);
    });
    const executed = await new MigrationExecutor(dataSource, runner).executePendingMigrations();
    await recordContractions(runner, table, migrations);
    await runner.commitTransaction();
    return executed.map((migration) => migration.name);
  } finally {
    // Closing the connection also rolls back the transaction of a failed migration.
    await dataSource.destroy();
  }
}

/** Waits for a running migration of the schema, and delays later ones until the lock is released or the connection ends. */
export async function lockMigrations(client: Client, schema: string): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [lockKey(schema)]);
}

/** Releases the lock of {@link lockMigrations}. */
export async function unlockMigrations(client: Client, schema: string): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1)', [lockKey(schema)]);
}

/** Returns the schema's 64-bit advisory lock key, as text because it exceeds the safe integers. */
function lockKey(schema: string): string {
  const digest = createHash('sha256').update(`family-watch:migrate:${schema}`).digest();
  return digest.readBigInt64BE().toString();
}

/**
 * Grants the runtime role the privileges that an app needs on its schema, rows and sequences, and no others: no CREATE,
 * TRUNCATE, REFERENCES or TRIGGER, and only SELECT on the list of migrations. Default privileges cover tables that the
 * owner creates later (partitions).
 *
 * @param client - connection of the schema's owner
 * @param appendOnlyTables - the tables whose rows the role may neither change nor delete
 */
async function grantRuntimeRole(
  client: Client,
  schema: string,
  role: string,
  appendOnlyTables: readonly string[],
): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  if (rowCount === 0) throw new Error(`The role ${role} of DATABASE_URL does not exist in the database.`);
  const [quotedSchema, quotedRole] = [quoteIdentifier(schema), quoteIdentifier(role)];
  const rowPrivileges = 'SELECT, INSERT, UPDATE, DELETE ON';
  const alterDefaults = `ALTER DEFAULT PRIVILEGES IN SCHEMA ${quotedSchema}`;
  await client.query('BEGIN');
  try {
    await client.query(`REVOKE CREATE ON SCHEMA ${quotedSchema} FROM PUBLIC, ${quotedRole}`);
    await client.query(`GRANT USAGE ON SCHEMA ${quotedSchema} TO ${quotedRole}`);
    await client.query(`GRANT ${rowPrivileges} ALL TABLES IN SCHEMA ${quotedSchema} TO ${quotedRole}`);
    await client.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${quotedSchema} TO ${quotedRole}`);
    await client.query(`${alterDefaults} GRANT ${rowPrivileges} TABLES TO ${quotedRole}`);
    await client.query(`${alterDefaults} GRANT USAGE ON SEQUENCES TO ${quotedRole}`);
    await client.query(
      `REVOKE INSERT, UPDATE, DELETE ON ${quotedSchema}.${quoteIdentifier(MIGRATIONS_TABLE)} FROM ${quotedRole}`,
    );
    for (const table of appendOnlyTables)
      await client.query(`REVOKE UPDATE, DELETE ON ${quotedSchema}.${quoteIdentifier(table)} FROM ${quotedRole}`);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
