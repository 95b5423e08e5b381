import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseStartError } from '@family-watch/platform/database/connection';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { EmbeddedPostgres } from '@family-watch/platform/database/embedded/embedded-postgres';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { mkdtempSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CreateCounters1767225600000 } from './counters.migration.js';

class BreakHalfway1767225700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE alpha.half (id text)');
    await runner.query('SELECT 1 / 0');
  }

  async down(): Promise<void> {
    return Promise.resolve();
  }
}

const alpha = { name: 'alpha', schema: 'alpha', migrations: [CreateCounters1767225600000] };

// The failures that these suites cause are expected, and so is what is logged about them.
Logger.overrideLogger(false);

describe('app database', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => database.drop());

  async function as<Row extends object>(url: string, sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  describe('migrations', () => {
    it('run once, also when several processes start at the same time', async () => {
      const { url, migrationUrl } = database;
      const runs = await Promise.all([1, 2, 3].map(() => migrateAppDatabase({ ...alpha, url, migrationUrl })));
      expect(runs.flat()).toEqual(['CreateCounters1767225600000']);
      const executed = await as<{ name: string }>(database.adminUrl, 'SELECT name FROM alpha.migrations');
      expect(executed.map(({ name }) => name)).toEqual(['CreateCounters1767225600000']);
    });

    it('leave nothing of themselves when one fails', async () => {
      const { url, migrationUrl } = database;
      const migrations = [...alpha.migrations, BreakHalfway1767225700000];
      await expect(migrateAppDatabase({ ...alpha, url, migrationUrl, migrations })).rejects.toThrow('division by zero');
      const tables = await as(
        database.adminUrl,
        `SELECT 1 FROM pg_tables WHERE schemaname = 'alpha' AND tablename IN ('counter', 'half')`,
      );
      expect(tables).toEqual([]);
      expect(await migrateAppDatabase({ ...alpha, url, migrationUrl })).toHaveLength(1);
    });

    it('use the run-time connection when there is no other', async () => {
      const { migrationUrl } = database;
      expect(await migrateAppDatabase({ ...alpha, url: migrationUrl })).toHaveLength(1);
      expect(await as(migrationUrl, 'SELECT * FROM alpha.counter')).toEqual([]);
    });
  });

  describe('run-time role', () => {
    beforeEach(() => migrateAppDatabase({ ...alpha, url: database.url, migrationUrl: database.migrationUrl }));

    it('reads and writes rows, of tables made later as well', async () => {
      await as(database.migrationUrl, 'CREATE TABLE alpha.later (id int GENERATED ALWAYS AS IDENTITY, note text)');
      await as(database.url, `INSERT INTO alpha.later (note) VALUES ('x')`);
      await as(database.url, `INSERT INTO alpha.counter VALUES ('a', 1)`);
      await as(database.url, `UPDATE alpha.counter SET value = 2`);
      expect(await as(database.url, 'SELECT id FROM alpha.later')).toEqual([{ id: 1 }]);
      expect(await as(database.url, 'DELETE FROM alpha.counter RETURNING value')).toEqual([{ value: '2' }]);
    });

    it.each([
      'CREATE TABLE alpha.evil (n int)',
      'CREATE SCHEMA evil',
      'CREATE TEMP TABLE evil (n int)',
      'CREATE FUNCTION alpha.evil() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
      'ALTER TABLE alpha.counter ADD COLUMN evil text',
      'DROP TABLE alpha.counter',
      'TRUNCATE alpha.counter',
      `DELETE FROM alpha.migrations`,
      `COPY alpha.counter TO PROGRAM 'true'`,
    ])('may not: %s', async (sql) => {
      await expect(as(database.url, sql)).rejects.toMatchObject({ code: '42501' });
    });
  });

  it('names itself, and has limits on statements, locks and idle transactions', async () => {
    const app = await openAppDatabase({ name: 'alpha', schema: 'alpha', url: database.url, entities: [] });
    const settings = await app.dataSource.query<{ setting: string }[]>(
      `SELECT current_setting(name) AS setting FROM unnest(ARRAY['application_name', 'statement_timeout',
         'lock_timeout', 'idle_in_transaction_session_timeout']) AS name`,
    );
    await app.close();
    expect(settings.map(({ setting }) => setting)).toEqual(['family-watch:alpha', '15s', '5s', '15s']);
  });

  it('names variable and host, and no secret, when the database cannot be reached at start', async () => {
    const url = 'postgres://someone:s3cret@127.0.0.1:1/family';
    const start = openAppDatabase({ name: 'alpha', schema: 'alpha', url, entities: [] });
    const error = (await start.catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(DatabaseStartError);
    expect(error.message).toMatch(/DATABASE_URL \(host 127\.0\.0\.1:1, database family, user someone\).*ECONNREFUSED/);
    expect(error.message).not.toContain('s3cret');
    const migration = migrateAppDatabase({ ...alpha, url: database.url, migrationUrl: url });
    await expect(migration).rejects.toThrow(/MIGRATION_DATABASE_URL \(host 127\.0\.0\.1:1/);
  });

  it('is unreachable while the server is away, says so, and comes back without a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fw-away-'));
    await chmod(folder, 0o755);
    let server = await EmbeddedPostgres.start({ dataDir: folder });
    try {
      const app = await openAppDatabase({ name: 'alpha', schema: 'alpha', url: server.info.url, entities: [] });
      const unit = new UnitOfWork(app.dataSource, 'alpha');
      expect(await app.isReachable()).toBe(true);

      await server.stop();
      expect(await app.isReachable()).toBe(false);
      await expect(unit.run(() => unit.executor.query('SELECT 1'))).rejects.toBeInstanceOf(DatabaseUnavailableError);
      await expect(unit.manager.query('SELECT 1')).rejects.toBeInstanceOf(DatabaseUnavailableError);

      server = await EmbeddedPostgres.start({ dataDir: folder });
      expect(await app.isReachable()).toBe(true);
      expect(await unit.executor.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await app.close();
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('does not wait for an answer longer than asked', async () => {
    const app = await openAppDatabase({
      name: 'alpha',
      schema: 'alpha',
      url: database.url,
      entities: [],
      limits: { poolSize: 1 },
    });
    const busy = app.dataSource.query('SELECT pg_sleep(5)');
    await sleep(50);
    const asked = Date.now();
    expect(await app.isReachable(100)).toBe(false);
    expect(Date.now() - asked).toBeLessThan(4_500);
    await busy;
    await app.close();
  });
});
