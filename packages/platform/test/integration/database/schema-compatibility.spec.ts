import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseStartError } from '@family-watch/platform/database/connection';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import type { ContractingMigration, MigrationClass } from '@family-watch/platform/database/schema-compatibility';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { CreateCounters1767225600000 } from './counters.migration.js';

/** Release 2: adds a column, which the app of release 2 writes. */
class AddAmount1767225700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE alpha.counter ADD COLUMN amount bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE alpha.counter DROP COLUMN amount');
  }
}

/** Release 3: requires the column, which the app of release 1 does not write. */
class RequireAmount1767225800000 implements ContractingMigration {
  readonly appsMustKnow = AddAmount1767225700000;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE alpha.counter ALTER COLUMN amount SET NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE alpha.counter ALTER COLUMN amount DROP NOT NULL');
  }
}

const RELEASE_1 = [CreateCounters1767225600000];
const RELEASE_2 = [...RELEASE_1, AddAmount1767225700000];
const RELEASE_3 = [...RELEASE_2, RequireAmount1767225800000];

describe('compatibility of an app with the schema', () => {
  let database: TestDatabase;
  let openApps: AppDatabase[];
  let errors: unknown[];

  beforeEach(async () => {
    database = await createTestDatabase();
    openApps = [];
    errors = [];
    const none = () => undefined;
    const logger: LoggerService = { log: none, warn: none, error: (entry: unknown) => void errors.push(entry) };
    Logger.overrideLogger(logger);
  });
  afterEach(async () => {
    for (const app of openApps) await app.close();
    await database.drop();
    Logger.overrideLogger(['log', 'warn', 'error', 'fatal', 'debug']);
  });

  const migrate = (migrations: readonly MigrationClass[]) =>
    migrateAppDatabase({ ...database, name: 'alpha', schema: 'alpha', migrations });

  async function openApp(migrations: readonly MigrationClass[]): Promise<AppDatabase> {
    const app = await openAppDatabase({ name: 'alpha', schema: 'alpha', url: database.url, entities: [], migrations });
    openApps.push(app);
    return app;
  }

  test('an app supports its own schema and a schema with unknown migrations that only add', async () => {
    await migrate(RELEASE_2);
    for (const known of [RELEASE_2, RELEASE_1]) {
      const app = await openApp(known);
      expect(await app.schemaCheck.findProblem()).toBeUndefined();
      await app.assertSchemaSupported();
    }
    expect(errors).toEqual([]);
  });

  test('an app does not support a schema with a contracting migration that requires an unknown migration', async () => {
    await migrate(RELEASE_3);
    const app = await openApp(RELEASE_1);
    const message =
      'Migration RequireAmount1767225800000 of schema alpha requires an app that knows migration ' +
      'AddAmount1767225700000; the newest migration that this app knows is CreateCounters1767225600000. ' +
      'Start a newer build.';
    expect(await app.schemaCheck.findProblem()).toMatchObject({ message });
    expect(errors).toEqual([
      {
        msg: 'The database schema requires a newer app',
        schema: 'alpha',
        migration: 'RequireAmount1767225800000',
        requiredMigration: 'AddAmount1767225700000',
        newestKnown: 'CreateCounters1767225600000',
      },
    ]);
    await expect(app.assertSchemaSupported()).rejects.toBeInstanceOf(DatabaseStartError);
    await expect(app.assertSchemaSupported()).rejects.toThrow(message);
  });

  test('an app that knows the required migration supports the schema without knowing the contracting migration', async () => {
    await migrate(RELEASE_3);
    for (const known of [RELEASE_2, RELEASE_3]) {
      const app = await openApp(known);
      expect(await app.schemaCheck.findProblem()).toBeUndefined();
    }
    expect(errors).toEqual([]);
  });

  test('migrations of an older build preserve what newer migrations require', async () => {
    await migrate(RELEASE_3);
    expect(await migrate(RELEASE_1)).toEqual([]);
    expect(await (await openApp(RELEASE_1)).schemaCheck.findProblem()).toBeDefined();
  });

  test('a contraction is not recorded when a migration of the same run fails', async () => {
    class Fail1767225900000 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('SELECT 1 / 0');
      }

      down = () => Promise.resolve();
    }
    await migrate(RELEASE_2);
    await expect(migrate([...RELEASE_3, Fail1767225900000])).rejects.toThrow('division by zero');
    expect(await (await openApp(RELEASE_1)).schemaCheck.findProblem()).toBeUndefined();
  });

  test('an app supports a schema that was migrated before contractions were recorded', async () => {
    await migrate(RELEASE_2);
    await withClient(database.adminUrl, (client) =>
      client.query('ALTER TABLE alpha.migrations DROP COLUMN apps_must_know'),
    );
    expect(await (await openApp(RELEASE_2)).schemaCheck.findProblem()).toBeUndefined();
    expect(errors).toEqual([]);
    await migrate(RELEASE_3);
    expect(await (await openApp(RELEASE_1)).schemaCheck.findProblem()).toBeDefined();
  });
});
