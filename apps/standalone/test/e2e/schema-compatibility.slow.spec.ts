import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import type { ContractingMigration, MigrationClass } from '@family-watch/platform/database/schema-compatibility';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { DistributedService } from '@family-watch/testing/service/distributed-service';
import { findMissing } from '@family-watch/testing/requirements/requirements';
import { deleteStreams } from '@family-watch/testing/service/nats';
import { natsUrl } from '@family-watch/testing/service/nats-url';
import { ServiceProcess } from '@family-watch/testing/service/service-process';
import { StandaloneService } from '@family-watch/testing/service/standalone-service';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { describeOneDeployment } from '../support/deployments.js';

type Migration = InstanceType<MigrationClass>;
type QueryRunner = Parameters<Migration['up']>[0];

/** A migration of a newer build that older apps can ignore. */
class AddAlbumNote1999000000001 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mcdisk.album ADD COLUMN note text');
  }

  down = () => Promise.resolve();
}

/** A migration of a newer build that older apps cannot ignore. */
class RequireAlbumNote1999000000002 implements ContractingMigration {
  readonly appsMustKnow = AddAlbumNote1999000000001;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE mcdisk.album SET note = ''`);
    await runner.query('ALTER TABLE mcdisk.album ALTER COLUMN note SET NOT NULL');
  }

  down = () => Promise.resolve();
}

const SCHEMA_PROBLEM =
  'Migration RequireAlbumNote1999000000002 of schema mcdisk requires an app that knows migration ' +
  `AddAlbumNote1999000000001; the newest migration that this app knows is ${mcdiskDatabase.migrations.at(-1)?.name}. ` +
  'Start a newer build.';
const READINESS_DETAIL = { field: 'schema', rule: 'usable', message: SCHEMA_PROBLEM };

/** Applies migrations of a newer build to the schema of mcdisk. */
async function migrateToNewerBuild(database: TestDatabase, ...newer: MigrationClass[]): Promise<void> {
  await migrateAppDatabase({ ...mcdiskDatabase, ...database, migrations: [...mcdiskDatabase.migrations, ...newer] });
}

const createDatabase = () => createTestDatabase({ template: [userctxDatabase, mcdiskDatabase, gatewayDatabase] });

const errorsOf = (logs: readonly string[]) => logs.filter((line) => line.includes('requires a newer app'));

describeOneDeployment('a running build whose schema is migrated by a newer build', 'distributed', (deployment) => {
  let database: TestDatabase;
  let service: StandaloneService | DistributedService;
  /** URLs of the process that runs mcdisk and of the other processes. */
  let mcdisk: string;
  let others: string[];

  beforeAll(async () => {
    database = await createDatabase();
    await migrateToNewerBuild(database, AddAlbumNote1999000000001);
    service = await { standalone: StandaloneService, distributed: DistributedService }[deployment].start(database);
    const urls = service instanceof DistributedService ? service.processUrls : [service.url];
    mcdisk = urls[1] ?? service.url;
    others = urls.filter((url) => url !== mcdisk);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  test('starts and is ready while the unknown migrations of the schema remove and restrict nothing', async () => {
    for (const url of [mcdisk, ...others]) expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    expect(errorsOf(service.logs)).toEqual([]);
  });

  test('mcdisk is not ready after a contraction and logs the reason once; the other apps stay ready', async () => {
    await migrateToNewerBuild(database, AddAlbumNote1999000000001, RequireAlbumNote1999000000002);
    await waitFor(async () => {
      const response = await fetch(`${mcdisk}/health/ready`);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ details: [READINESS_DETAIL] });
    });
    expect((await fetch(`${mcdisk}/health/live`)).status).toBe(200);
    for (const url of others) expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    await waitFor(() => expect(errorsOf(service.logs)).toHaveLength(1));
  });
});

describe('a build that starts on a schema that requires a newer build', () => {
  const programs = ['standalone', ...(findMissing('nats') === undefined ? ['mcdisk'] : [])];

  test.each(programs)(
    '%s reports the problem at its start and in its readiness check, and does not use the database',
    async (program) => {
      const database = await createDatabase();
      await migrateToNewerBuild(database, AddAlbumNote1999000000001, RequireAlbumNote1999000000002);
      const directory = mkdtempSync(join(tmpdir(), 'fw-schema-'));
      const prefix = `t${randomBytes(6).toString('hex')}`;
      const forSeparateApp = {
        NATS_URL: natsUrl,
        NATS_PREFIX: prefix,
        JWKS_URL: 'http://127.0.0.1:1/jwks.json',
        INTERNAL_SECRET: randomBytes(32).toString('base64url'),
      };
      const variables = {
        PORT: 0,
        HOST: '127.0.0.1',
        DATA_DIR: directory,
        DATABASE_URL: database.url,
        MIGRATION_DATABASE_URL: database.migrationUrl,
        ...(program === 'mcdisk' ? forSeparateApp : {}),
      };
      const started = ServiceProcess.start(program, `apps/${program}/dist/main.js`, variables, join(directory, 'log'));
      try {
        const url = await started.waitFor('its URL', () =>
          started.logs
            .filter((line) => line.includes('only the health checks'))
            .map(findUrl)
            .at(0),
        );
        const [error] = errorsOf(started.logs).map((line) => JSON.parse(line) as object);
        expect(error).toMatchObject({
          level: 50,
          msg: 'The database schema requires a newer app',
          schema: 'mcdisk',
          migration: 'RequireAlbumNote1999000000002',
          requiredMigration: 'AddAlbumNote1999000000001',
        });
        const ready = await fetch(`${url}/health/ready`);
        expect(ready.status).toBe(503);
        expect(await ready.json()).toMatchObject({ details: expect.arrayContaining([READINESS_DETAIL]) as unknown });
        expect((await fetch(`${url}/health/live`)).status).toBe(200);
        const request = await fetch(`${url}/app-api/mcdisk/queryFamilyCloud`, { method: 'POST' });
        expect([request.status, request.headers.get('retry-after')]).toEqual([503, '10']);
        expect(await request.json()).toMatchObject({ code: 503_001 });
        expect(await started.stop()).toBe(0);
        expect(started.logs.join('\n')).not.toMatch(/\n\s+at /);
      } finally {
        await started.kill();
        if (program === 'mcdisk') await deleteStreams(prefix);
        rmSync(directory, { recursive: true, force: true });
        await database.drop();
      }
    },
  );
});

function findUrl(line: string): string | undefined {
  return /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
}
