import { migrateAppDatabase, type MigrationOptions } from '@family-watch/platform/database/migrate';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { oncePerProcess } from '../process/once-per-process.js';
import { countInRun } from '../reporting/run-counters.js';
import { withDatabase, withRoleAndDatabase } from './connection-url.js';
import { RUN_ID_VARIABLE, rolesOfRun } from './test-server.js';

/** Migrations of an app, from which template databases are built. */
export type AppMigrations = Pick<MigrationOptions, 'name' | 'schema' | 'migrations'>;

/** A database of one suite. */
export interface TestDatabase {
  readonly name: string;
  /** URL of the runtime role, which cannot execute DDL; DATABASE_URL of the app under test. */
  readonly url: string;
  /** URL of the owner of the database and its schemas; MIGRATION_DATABASE_URL of the app under test. */
  readonly migrationUrl: string;
  /** True if the database was created with the migrations of a template. */
  readonly isMigrated: boolean;
  /** URL of the superuser, for actions that only tests need (terminating connections, reading all tables). */
  readonly adminUrl: string;
  /** Drops the database, and terminates connections that stay open. */
  drop(): Promise<void>;
}

/**
 * The superuser's connection of this process. It is kept, because a new connection costs the server as much as many
 * statements.
 */
const adminConnection = oncePerProcess(
  () => {
    // Without idleTimeoutMillis, the pool would close the connection after ten seconds, and most suites take longer.
    const pool = new Pool({ connectionString: process.env.TEST_DATABASE_URL, max: 1, idleTimeoutMillis: 0 });
    pool.on('error', () => undefined);
    return Promise.resolve(pool);
  },
  (pool) => pool.end(),
);

/** Milliseconds that closing connections of a database have until they are terminated. */
const CLOSING_MS = 2_000;

/** Names of the templates that exist, as far as this process knows. */
const existingTemplates = new Set<string>();

/**
 * Creates a database for one suite as a copy of a migrated template database. The first suite of a run that needs a
 * template builds it.
 *
 * @param options.template - apps whose migrations the database contains; without a template the database is empty
 * @throws Error if the suite was not started by `npm test`, whose global setup starts the server
 */
export async function createTestDatabase(options: { template?: readonly AppMigrations[] } = {}): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL;
  const runId = process.env[RUN_ID_VARIABLE];
  if (!server || !runId) throw new Error('There is no test database server; run the suites with `npm test`.');
  countInRun('test-databases');
  const admin = await adminConnection();
  const template = await ensureTemplate(admin, server, runId, options.template ?? []);
  const name = `${runId}_s_${randomBytes(5).toString('hex')}`;
  const { owner, app } = rolesOfRun(runId);
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY OWNER ${owner}`);
  // CREATE DATABASE does not copy the template's privileges on the database itself.
  await admin.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT ON DATABASE ${name} TO ${app}`);
  return {
    ...urlsOf(server, runId, name),
    name,
    isMigrated: options.template !== undefined,
    drop: () => dropDatabase(admin, name),
  };
}

/**
 * Drops a database once its connections are closed, or after {@link CLOSING_MS}: the driver's `pool.end` resolves before
 * its connections are closed, and a connection that is terminated in between fails the suite with an error.
 */
async function dropDatabase(admin: Pool, name: string): Promise<void> {
  const deadline = performance.now() + CLOSING_MS;
  const isConnected = async () =>
    (await admin.query('SELECT FROM pg_stat_activity WHERE datname = $1 LIMIT 1', [name])).rowCount === 1;
  while ((await isConnected()) && performance.now() < deadline) await sleep(10);
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
}

function urlsOf(
  server: string,
  runId: string,
  database: string,
): Pick<TestDatabase, 'url' | 'migrationUrl' | 'adminUrl'> {
  const { owner, app } = rolesOfRun(runId);
  return {
    url: withRoleAndDatabase(server, { name: app, password: runId }, database),
    migrationUrl: withRoleAndDatabase(server, { name: owner, password: runId }, database),
    adminUrl: withDatabase(server, database),
  };
}

/**
 * Returns the name of the template with these apps, and builds the template if it does not exist. An advisory lock
 * ensures that only one worker of a run builds the template.
 */
async function ensureTemplate(
  admin: Pool,
  server: string,
  runId: string,
  apps: readonly AppMigrations[],
): Promise<string> {
  if (apps.length === 0) return 'template0';
  const templateContents = apps.map(({ schema, migrations }) => [
    schema,
    ...migrations.map((migration) => migration.name),
  ]);
  const digest = createHash('sha256').update(JSON.stringify(templateContents)).digest('hex').slice(0, 12);
  const name = `${runId}_t_${digest}`;
  if (existingTemplates.has(name)) return name;
  const client = await admin.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await buildTemplate(client, server, runId, name, apps);
    await client.query('SELECT pg_advisory_unlock_all()');
    client.release();
  } catch (error) {
    // The end of the connection releases the lock.
    client.release(true);
    throw error;
  }
  existingTemplates.add(name);
  return name;
}

/** Builds a template under another name and renames it when complete, so that a failed build is never copied. */
async function buildTemplate(
  client: PoolClient,
  server: string,
  runId: string,
  name: string,
  apps: readonly AppMigrations[],
): Promise<void> {
  const unfinished = `${name}_unfinished`;
  await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${unfinished} TEMPLATE template0 OWNER ${rolesOfRun(runId).owner}`);
  const { url, migrationUrl } = urlsOf(server, runId, unfinished);
  for (const app of apps) await migrateAppDatabase({ ...app, url, migrationUrl });
  await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
}
