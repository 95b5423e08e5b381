import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import type { DatabaseDeclaration } from '@family-watch/platform/database/app-database';
import { listSequences, listTables } from '@family-watch/platform/database/table-copy';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { freePort } from '@family-watch/testing/network/free-ports';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import type { Client } from 'pg';
import { getMetadataArgsStorage } from 'typeorm';
import { BackupReader } from '../../src/backup/backup-directory.js';
import { readBackupKey } from '../../src/backup/backup-file.js';
import { readDeletionList } from '../../src/backup/deletion-list.js';
import { readSettings, runBackupProgram, type Variables } from '../support/backup-programs.js';
import { insertGeneratedRow } from '../support/generated-rows.js';
import { CLOUD_PATH, expectOk, HttpClient } from '../support/http-client.js';
import { readCatalogue } from '../support/schema-catalogue.js';
import { waitUntilEventsProcessed } from '../support/table-digests.js';
import { TerminalProgram } from '../support/terminal-program.js';
import { TestService } from '../support/test-service.js';

/*
 * What a restore must not lose is everything: the data of the demo's family, and then a row in every table of the
 * entities, is moved from one database to the next by a backup and a restore, and compared with what was backed up. The
 * suite starts its own services, because it restores whole databases.
 */

const DATABASES = [userctxDatabase, mcdiskDatabase, gatewayDatabase];

/** A restore gives an empty blob store a new identity. */
const TABLES_OF_STORE = ['store_mark'];

/** Where a service keeps its data. */
interface Place {
  dataDir: string;
  /** Runs `work` with an address of the owner of the schemas. */
  withDatabase<Result>(work: (ownerUrl: string) => Promise<Result>): Promise<Result>;
  variables: Variables;
}

describe('a backup of everything', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fw-complete-'));
  const backups = join(directory, 'backups');
  const keyFile = join(directory, 'backup.key');
  let database: TestDatabase;
  let running: TestService | undefined;
  let encryption: Variables;
  let credentials: { areaCode: string; phoneNumber: string; password: string };

  beforeAll(async () => {
    // The user of the embedded database server must be able to enter the directory.
    chmodSync(directory, 0o755);
    const { output } = await runBackupProgram('backup', {}, 'create-key', keyFile);
    encryption = { ...readSettings(output), BACKUP_KEY_FILE: keyFile };
    database = await createTestDatabase();
  });
  afterAll(async () => {
    // A failed test has not stopped its service.
    await running?.stop().catch(() => undefined);
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Standalone with the embedded database in a directory of this name. */
  function embedded(name: string): Place {
    const dataDir = join(directory, name);
    return {
      dataDir,
      variables: { DATA_DIR: dataDir },
      withDatabase: async (work) => {
        const postgres = await EmbeddedPostgres.start({ dataDir });
        try {
          return await work(postgres.info.migrationUrl);
        } finally {
          await postgres.stop();
        }
      },
    };
  }

  /** Standalone with a database server. */
  function onServer(name: string, { url, migrationUrl }: TestDatabase): Place {
    const dataDir = join(directory, name);
    const variables = { DATA_DIR: dataDir, DATABASE_URL: url, MIGRATION_DATABASE_URL: migrationUrl };
    return { dataDir, variables, withDatabase: (work) => work(migrationUrl) };
  }

  const [first, second, third] = [embedded('first'), embedded('second'), embedded('third')];

  async function move(from: Place, to: Place, settings: Variables): Promise<string> {
    const BACKUP_DIR = join(backups, `to-${relative(directory, to.dataDir)}`);
    const backup = await runBackupProgram('backup', { ...from.variables, BACKUP_DIR, ...settings });
    expect([backup.code, backup.output]).toEqual([0, expect.stringMatching(/^Backup \S+: \d+ rows, \d+ files/)]);
    const restored = await runBackupProgram('restore', { ...to.variables, BACKUP_DIR, ...settings });
    expect([restored.code, restored.output]).toEqual([0, expect.stringMatching(/\d+ rows and \d+ files restored/)]);
    return BACKUP_DIR;
  }

  /** Compares everything that a place has with what was backed up. The service runs on neither of them. */
  async function expectSame(from: Place, to: Place, backupDir: string, { BACKUP_KEY_FILE }: Variables): Promise<void> {
    const key = BACKUP_KEY_FILE === undefined ? undefined : await readBackupKey(String(BACKUP_KEY_FILE));
    const { manifest } = await BackupReader.open(backupDir, key);
    expect(manifest.missingBlobs).toEqual([]);
    const { snapshotAt, missingBlobs } = manifest;
    const deletions = await readDeletionList(backupDir);
    await from.withDatabase((fromUrl) =>
      to.withDatabase((toUrl) =>
        withClient(toUrl, async (target) => {
          const { rows } = await target.query<{ at: string }>('SELECT restored_at AS at FROM gateway.epoch');
          const restoredAt = Number(rows[0]?.at);
          const context = { snapshotAt, restoredAt, renewsSecrets: false, hasNewKey: false, missingBlobs, deletions };
          for (const declaration of DATABASES) {
            const [expected, actual] = [
              // What the restore changes on purpose is changed here too, and rolled back with the connection.
              await withClient(fromUrl, async (source) => {
                await source.query('BEGIN');
                const sequences = await listSequences(source, declaration.schema);
                for (const { sql, parameters = [] } of declaration.restoreSteps(context))
                  await source.query(sql, [...parameters]);
                return { ...(await readSchema(source, declaration)), sequences };
              }),
              {
                ...(await readSchema(target, declaration)),
                sequences: await listSequences(target, declaration.schema),
              },
            ];
            expect(actual).toEqual(expected);
          }
          expect(await readFiles(to, target)).toEqual(await readFiles(from, target));
        }),
      ),
    );
  }

  test('the family of the demo is restored from one embedded database to another, encrypted', async () => {
    mkdirSync(first.dataDir);
    await runDemo();
    const backupDir = await move(first, second, encryption);
    await expectSame(first, second, backupDir, encryption);
  });

  describe('restore --verify', () => {
    const temporary = join(directory, 'temporary');
    let verification: Variables;

    beforeAll(() => {
      mkdirSync(temporary);
      chmodSync(temporary, 0o755);
      verification = { ...encryption, BACKUP_DIR: join(backups, 'to-second'), TMPDIR: temporary };
    });

    test('restores the rows into a temporary database, compares them and deletes the database', async () => {
      const { code, output } = await runBackupProgram('restore', verification, '--verify');
      expect([code, output]).toEqual([
        0,
        expect.stringMatching(/\n\d+ rows were restored and are those of the backup/),
      ]);
      expect(output).toContain(`temporary database in ${temporary}`);
      expect(readdirSync(temporary)).toEqual([]);
    });

    test('deletes the temporary database when a signal ends it', async () => {
      const env = { ...PROGRAM_ENVIRONMENT, ...verification } as NodeJS.ProcessEnv;
      const program = TerminalProgram.start('apps/standalone/dist/restore.js', env, '--verify');
      await program.waitForOutput(/temporary database in/);
      program.interrupt();
      expect(await program.exit).toEqual([2, null]);
      expect(program.output).toMatch(/The verification was interrupted by SIG\w+\n$/);
      expect(readdirSync(temporary)).toEqual([]);
    });

    test('with =quick says that nothing was restored', async () => {
      const { code, output } = await runBackupProgram('restore', verification, '--verify=quick');
      expect([code, output]).toEqual([0, expect.stringContaining('not that a database can be restored from them')]);
    });
  });

  async function runDemo(): Promise<void> {
    const service = await start(first);
    const sms = join(first.dataDir, 'sms-outbox.jsonl');
    const options = ['--keep', '--json', '--url', service.url, '--sms-file', sms];
    const demo = TerminalProgram.start('apps/simulator/dist/main.js', { ...PROGRAM_ENVIRONMENT }, ...options);
    await waitUntil('the family of the demo', () => {
      if (!demo.isRunning) throw new Error(demo.output);
      return /^}$/m.test(demo.output);
    });
    ({ credentials } = JSON.parse(/^\{.*^\}$/ms.exec(demo.output)?.[0] ?? '') as { credentials: typeof credentials });
    demo.kill('SIGINT');
    await demo.exit;
    await waitUntilEventsProcessed(service);
    await service.stop();
    running = undefined;
  }

  async function start({ dataDir, variables }: Place): Promise<TestService> {
    const unset = { SECRET_KEY: undefined, DATABASE_URL: undefined, MIGRATION_DATABASE_URL: undefined };
    const settings = { ...unset, ...variables, PORT: await freePort() };
    const place = {
      get adminUrl() {
        return (JSON.parse(readFileSync(join(dataDir, 'postgres-connection.json'), 'utf8')) as { migrationUrl: string })
          .migrationUrl;
      },
    };
    return (running = await TestService.startOn(place as TestDatabase, settings));
  }

  test('the restored service shows the albums, and counts what is added to them', async () => {
    const service = await start(second);
    const { accessToken } = await expectOk(
      new HttpClient(service.url).post<{ accessToken: string }>('account/sign-in', credentials),
    );
    const mother = new HttpClient(service.url, accessToken);
    const { items } = await expectOk(mother.get<{ items: { familyId: string; role: number }[] }>('family/list'));
    const cloudID = items.find(({ role }) => role === 1)?.familyId;
    interface Album {
      photoID: string;
      photoName: string;
      contentCount: number;
    }
    const listAlbums = async () => {
      const answer = mother.post<{ data: { cloudPhotoList: Album[] } }>(`${CLOUD_PATH}queryCloudPhoto`, { cloudID });
      const { cloudPhotoList } = (await expectOk(answer)).data;
      return cloudPhotoList.map(({ photoName, contentCount }) => `${photoName}: ${contentCount}`).toSorted();
    };
    expect(await listAlbums()).toEqual(['In the park: 13', 'Our week: 40']);

    const listing = mother.post<{ data: { cloudContentList: { contentID: string }[] } }>(
      `${CLOUD_PATH}queryContentList`,
      { cloudID, pageInfo: { pageSize: 3 } },
    );
    const contentIDList = (await expectOk(listing)).data.cloudContentList.map(({ contentID }) => contentID);
    const created = mother.post<{ data: Album }>(`${CLOUD_PATH}createCloudPhoto`, { cloudID, photoName: 'New' });
    const { photoID } = (await expectOk(created)).data;
    await expectOk(mother.post(`${CLOUD_PATH}addPhotoContents`, { cloudID, photoID, contentIDList }));
    const removed = { cloudID, photoID, contentIDList: contentIDList.slice(1) };
    await expectOk(mother.post(`${CLOUD_PATH}removePhotoContents`, removed));
    expect(await listAlbums()).toEqual(['In the park: 13', 'New: 1', 'Our week: 40']);
    await waitUntilEventsProcessed(service);
    expect(service.errors).toEqual([]);
    await service.stop();
    running = undefined;
  });

  test('rows of every table are restored from the embedded database to a server and back, plain and encrypted', async () => {
    await second.withDatabase((url) =>
      withClient(url, async (client) => {
        for (const { schema } of DATABASES) await fillEmptyTables(client, schema);
        expect(await findEmptyTables(client)).toEqual([]);
      }),
    );
    const server = onServer('server', database);
    mkdirSync(server.dataDir);
    // A plain backup does not contain the key.
    const SECRET_KEY = readFileSync(join(second.dataDir, 'secret.key'), 'utf8').trim();
    const plain = { SECRET_KEY };
    await expectSame(second, server, await move(second, server, plain), plain);
    await expectSame(server, third, await move(server, third, { ...encryption, SECRET_KEY }), encryption);
  });
});

async function fillEmptyTables(client: Client, schema: string): Promise<void> {
  await client.query('BEGIN');
  const tables = await listTables(client, schema);
  await client.query('COMMIT');
  for (const { table } of tables) {
    const name = `${schema}.${table}`;
    const { rowCount } = await client.query(`SELECT FROM ${name} LIMIT 1`);
    if (rowCount === 0) await insertGeneratedRow(client, name);
  }
}

/** Returns the tables of the apps' entities that have no row. */
async function findEmptyTables(client: Client): Promise<string[]> {
  const empty: string[] = [];
  for (const { schema, entities } of DATABASES)
    for (const { name } of getMetadataArgsStorage().filterTables([...entities])) {
      const { rowCount } = await client.query(`SELECT FROM ${schema}.${name} LIMIT 1`);
      if (rowCount === 0) empty.push(`${schema}.${name}`);
    }
  return empty;
}

/** Returns the definition and the rows of all tables of a schema, in the canonical text of the server. */
async function readSchema(client: Client, { schema }: DatabaseDeclaration) {
  await client.query(`SET timezone = 'UTC'; SET extra_float_digits = 3`);
  const { rows: triggers } = await client.query(
    `SELECT tgrelid::regclass::text AS table, tgname AS name, tgenabled AS mode FROM pg_trigger
       JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace = $1::regnamespace AND NOT tgisinternal ORDER BY 1, 2`,
    [schema],
  );
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p')
        AND NOT relispartition AND relname <> ALL ($2) ORDER BY 1`,
    [schema, [...TABLES_OF_STORE, 'migrations']],
  );
  const rows: Record<string, string[]> = {};
  for (const { name } of tables) {
    // The entry of the restore in the audit list has a random id.
    const text =
      name === 'operator_audit_entry'
        ? `replace(t::text, CASE WHEN operation = 'restore' THEN entry_id::text ELSE '' END, '')`
        : 't::text';
    const found = await client.query<{ row: string }>(`SELECT ${text} AS row FROM ${schema}.${name} t`);
    rows[name] = found.rows.map(({ row }) => row).toSorted();
  }
  const { rows: migrations } = await client.query(`SELECT name FROM ${schema}.migrations ORDER BY id`);
  return { catalogue: await readCatalogue(client, schema), triggers, migrations, rows };
}

/** Returns the digest of each file that the rows of the target need, by path below the directory of the blobs. */
async function readFiles({ dataDir }: Place, target: Client): Promise<Record<string, string>> {
  const { rows } = await target.query<{ key: string }>(
    `SELECT blob_key AS key FROM mcdisk.blob WHERE state IN ('LIVE', 'CONDEMNED')`,
  );
  const keys = new Set(rows.map(({ key }) => key));
  const root = join(dataDir, 'blobs');
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && keys.has(entry.name),
  );
  expect(new Set(files.map(({ name }) => name))).toEqual(keys);
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [relative(root, path), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}
