import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseStartError } from '@family-watch/platform/database/connection';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import type { ContractingMigration, MigrationClass } from '@family-watch/platform/database/schema-compatibility';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { CreateCounters1767225600000 } from './counters.migration.js';

/** The second migration of a build before the baseline. */
class AddAmount1767225700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE alpha.counter ADD COLUMN amount bigint');
  }

  down = () => Promise.resolve();
}

class Baseline1767225600001 implements ContractingMigration {
  readonly appsMustKnow = Baseline1767225600001;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE alpha.counter (id text PRIMARY KEY, value bigint NOT NULL, total bigint)');
  }

  down = () => Promise.resolve();
}

/** A migration after the baseline. */
class AddNote1767225600010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE alpha.counter ADD COLUMN note text');
  }

  down = () => Promise.resolve();
}

const EARLIER = [CreateCounters1767225600000, AddAmount1767225700000];
const PRESENT = [Baseline1767225600001, AddNote1767225600010];
const adoption = {
  lastMigration: AddAmount1767225700000.name,
  schemaChanges: ['ALTER TABLE alpha.counter RENAME COLUMN amount TO total'],
  renamedHandlers: {},
};

let database: TestDatabase;

beforeEach(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase();
});
afterEach(async () => {
  Logger.overrideLogger(['log', 'warn', 'error', 'fatal', 'debug']);
  await database.drop();
});

const migrateEarlier = (migrations: readonly MigrationClass[]) =>
  migrateAppDatabase({ ...database, name: 'alpha', schema: 'alpha', migrations });
const migrate = () =>
  migrateAppDatabase({ ...database, name: 'alpha', schema: 'alpha', migrations: PRESENT, adoption });
const query = (sql: string) =>
  withClient(database.adminUrl, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
const executed = () => query('SELECT name, apps_must_know FROM alpha.migrations ORDER BY id');

const EXPECTED = [
  { name: 'Baseline1767225600001', apps_must_know: 'Baseline1767225600001' },
  { name: 'AddNote1767225600010', apps_must_know: null },
];

/** Opens the database as an app that knows these migrations, and returns why the app cannot use it. */
async function findProblem(migrations: readonly MigrationClass[]): Promise<string | undefined> {
  const options = { name: 'alpha', schema: 'alpha', url: database.url, entities: [], migrations };
  const app = await openAppDatabase(options);
  const problem = await app.schemaCheck.run();
  await app.close();
  return problem?.message;
}

test('a schema with the last migration before the baseline keeps its rows and gets the migrations after it', async () => {
  await migrateEarlier(EARLIER);
  await query(`INSERT INTO alpha.counter (id, value, amount) VALUES ('a', 1, 2)`);
  expect(await migrate()).toEqual(['AddNote1767225600010']);
  expect(await executed()).toEqual(EXPECTED);
  expect(await query('SELECT * FROM alpha.counter')).toEqual([{ id: 'a', value: '1', total: '2', note: null }]);
  expect(await migrate()).toEqual([]);
});

test('a new schema is created by the baseline', async () => {
  expect(await migrate()).toEqual(['Baseline1767225600001', 'AddNote1767225600010']);
  expect(await executed()).toEqual(EXPECTED);
});

test('a schema of an older build is refused with the migration that it needs first, and stays as it is', async () => {
  await migrateEarlier(EARLIER.slice(0, 1));
  const rejected = await migrate().catch((error: unknown) => error);
  expect(rejected).toBeInstanceOf(DatabaseStartError);
  expect(String(rejected)).toMatch(
    /its last migration is CreateCounters1767225600000\)\. Start the last build before 1\.0\.0 once, whose last migration is AddAmount1767225700000/,
  );
  expect(await query('SELECT name FROM alpha.migrations')).toEqual([{ name: 'CreateCounters1767225600000' }]);
});

test('an app before the baseline does not use an adopted schema, and an app with it none that is not migrated', async () => {
  await migrateEarlier(EARLIER);
  expect(await findProblem(EARLIER)).toBeUndefined();
  expect(await findProblem(PRESENT)).toBe(
    'Schema alpha is not migrated to Baseline1767225600001. Run the migrations of this build.',
  );
  await migrate();
  expect(await findProblem(EARLIER)).toContain('requires an app that knows migration Baseline1767225600001');
  expect(await findProblem(PRESENT)).toBeUndefined();
});

test('waits until the processes of the app have ended', async () => {
  await migrateEarlier(EARLIER);
  const options = { name: 'alpha', schema: 'alpha', url: database.url, entities: [], migrations: EARLIER };
  const app = await openAppDatabase(options);
  await app.schemaCheck.run();
  let isMigrated = false;
  const migration = migrate().then(() => (isMigrated = true));
  const isWaiting = `SELECT FROM pg_stat_activity WHERE application_name = 'family-watch:alpha:migrate'
    AND datname = current_database() AND state = 'idle in transaction' AND query LIKE 'SELECT FROM pg_stat_activity%'`;
  await waitUntil('the migration to wait', async () => (await query(isWaiting)).length > 0);
  expect(isMigrated).toBe(false);
  await app.close();
  await migration;
  expect(await executed()).toEqual(EXPECTED);
});
