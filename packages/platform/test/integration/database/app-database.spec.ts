import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseStartError } from '@family-watch/platform/database/connection';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { DatabaseProxy } from '../../support/database-proxy.js';
import { CreateCounters1767225600000 } from './counters.migration.js';

class FailHalfway1767225700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE alpha.half (id text)');
    await runner.query('SELECT 1 / 0');
  }

  async down(): Promise<void> {
    return Promise.resolve();
  }
}

const ALPHA_DATABASE = { name: 'alpha', schema: 'alpha', migrations: [CreateCounters1767225600000] };

// The suites of this file cause failures on purpose, which would fill the log.
Logger.overrideLogger(false);

describe('app database', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  async function queryAs<Row extends object>(url: string, sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  describe('migrations', () => {
    beforeEach(() => queryAs(database.adminUrl, 'DROP SCHEMA IF EXISTS alpha CASCADE'));

    test('runs each migration once when several processes start concurrently', async () => {
      const { url, migrationUrl } = database;
      const runs = await Promise.all([1, 2, 3].map(() => migrateAppDatabase({ ...ALPHA_DATABASE, url, migrationUrl })));
      expect(runs.flat()).toEqual(['CreateCounters1767225600000']);
      const executed = await queryAs<{ name: string }>(database.adminUrl, 'SELECT name FROM alpha.migrations');
      expect(executed.map(({ name }) => name)).toEqual(['CreateCounters1767225600000']);
    });

    test('rolls back all migrations when one fails', async () => {
      const { url, migrationUrl } = database;
      const migrations = [...ALPHA_DATABASE.migrations, FailHalfway1767225700000];
      await expect(migrateAppDatabase({ ...ALPHA_DATABASE, url, migrationUrl, migrations })).rejects.toThrow(
        'division by zero',
      );
      const tables = await queryAs(
        database.adminUrl,
        `SELECT 1 FROM pg_tables WHERE schemaname = 'alpha' AND tablename IN ('counter', 'half')`,
      );
      expect(tables).toEqual([]);
      expect(await migrateAppDatabase({ ...ALPHA_DATABASE, url, migrationUrl })).toHaveLength(1);
    });

    test('uses the runtime connection when no migration URL is given', async () => {
      const { migrationUrl } = database;
      expect(await migrateAppDatabase({ ...ALPHA_DATABASE, url: migrationUrl })).toHaveLength(1);
      expect(await queryAs(migrationUrl, 'SELECT * FROM alpha.counter')).toEqual([]);
    });
  });

  describe('A11 runtime role', () => {
    beforeAll(async () => {
      await queryAs(database.adminUrl, 'DROP SCHEMA IF EXISTS alpha CASCADE');
      await migrateAppDatabase({ ...ALPHA_DATABASE, url: database.url, migrationUrl: database.migrationUrl });
    });

    test('can read and write rows, including those of tables created later', async () => {
      await queryAs(database.migrationUrl, 'CREATE TABLE alpha.later (id int GENERATED ALWAYS AS IDENTITY, note text)');
      await queryAs(database.url, `INSERT INTO alpha.later (note) VALUES ('x')`);
      await queryAs(database.url, `INSERT INTO alpha.counter VALUES ('a', 1)`);
      await queryAs(database.url, `UPDATE alpha.counter SET value = 2`);
      expect(await queryAs(database.url, 'SELECT id FROM alpha.later')).toEqual([{ id: 1 }]);
      expect(await queryAs(database.url, 'DELETE FROM alpha.counter RETURNING value')).toEqual([{ value: '2' }]);
    });

    test.each([
      'CREATE TABLE alpha.evil (n int)',
      'CREATE SCHEMA evil',
      'CREATE TEMP TABLE evil (n int)',
      'CREATE FUNCTION alpha.evil() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
      'ALTER TABLE alpha.counter ADD COLUMN evil text',
      'DROP TABLE alpha.counter',
      'TRUNCATE alpha.counter',
      `DELETE FROM alpha.migrations`,
      `COPY alpha.counter TO PROGRAM 'true'`,
    ])('has no permission to execute: %s', async (sql) => {
      await expect(queryAs(database.url, sql)).rejects.toMatchObject({ code: '42501' });
    });
  });

  test('sets the application name and timeouts of statements, locks and idle transactions', async () => {
    const app = await openAppDatabase({ name: 'alpha', schema: 'alpha', url: database.url, entities: [] });
    const settings = await app.dataSource.query<{ setting: string }[]>(
      `SELECT current_setting(name) AS setting FROM unnest(ARRAY['application_name', 'statement_timeout',
         'lock_timeout', 'idle_in_transaction_session_timeout']) AS name`,
    );
    await app.close();
    expect(settings.map(({ setting }) => setting)).toEqual(['family-watch:alpha', '15s', '5s', '15s']);
  });

  test('close resolves when the server has ended all connections of the app', async () => {
    const observer = new Client({ connectionString: database.adminUrl });
    await observer.connect();
    try {
      for (let round = 0; round < 10; round += 1) {
        const app = await openAppDatabase({ name: 'alpha', schema: 'alpha', url: database.url, entities: [] });
        await Promise.all(Array.from({ length: 10 }, () => app.dataSource.query('SELECT pg_sleep(0.05)')));
        await app.close();
        const { rows } = await observer.query(
          "SELECT pid FROM pg_stat_activity WHERE application_name = 'family-watch:alpha' AND datname = $1",
          [database.name],
        );
        expect(rows).toEqual([]);
      }
    } finally {
      await observer.end();
    }
  });

  test('throws an error that names the variable and the host but not the password when the database is unreachable at start', async () => {
    const url = 'postgres://someone:s3cret@127.0.0.1:1/family';
    const start = openAppDatabase({ name: 'alpha', schema: 'alpha', url, entities: [] });
    const error = (await start.catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(DatabaseStartError);
    expect(error.message).toMatch(/DATABASE_URL \(host 127\.0\.0\.1:1, database family, user someone\).*ECONNREFUSED/);
    expect(error.message).not.toContain('s3cret');
    const migration = migrateAppDatabase({ ...ALPHA_DATABASE, url: database.url, migrationUrl: url });
    await expect(migration).rejects.toThrow(/MIGRATION_DATABASE_URL \(host 127\.0\.0\.1:1/);
  });

  test('isReachable returns false while the server is down, and true after it has started again', async () => {
    const server = await DatabaseProxy.start(database.url);
    const app = await openAppDatabase({ name: 'alpha', schema: 'alpha', url: server.url, entities: [] });
    const unitOfWork = new UnitOfWork(app.dataSource, 'alpha');
    expect(await app.isReachable()).toBe(true);

    server.goDown();
    expect(await app.isReachable()).toBe(false);
    await expect(unitOfWork.run(() => unitOfWork.executor.query('SELECT 1'))).rejects.toBeInstanceOf(
      DatabaseUnavailableError,
    );
    await expect(unitOfWork.manager.query('SELECT 1')).rejects.toBeInstanceOf(DatabaseUnavailableError);

    server.comeBack();
    expect(await app.isReachable()).toBe(true);
    expect(await unitOfWork.executor.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await app.close();
    server.close();
  });

  test('isReachable returns false after the given timeout', async () => {
    const app = await openAppDatabase({
      name: 'alpha',
      schema: 'alpha',
      url: database.url,
      entities: [],
      limits: { poolSize: 1 },
    });
    const busy = app.dataSource.query('SELECT pg_sleep(10)').catch((error: unknown) => error);
    const running = `FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT pg_sleep(10)'`;
    await waitUntil('the query', async () => (await queryAs(database.adminUrl, `SELECT ${running}`)).length > 0);
    expect(await app.isReachable(100)).toBe(false);
    await queryAs(database.adminUrl, `SELECT pg_cancel_backend(pid) ${running}`);
    expect(await busy).toBeInstanceOf(Error);
    await app.close();
  });
});
