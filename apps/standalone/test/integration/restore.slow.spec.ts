import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { Environment } from '@family-watch/platform/config/environment';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { maintainLocationPartitions } from '@family-watch/userctx/database/location-partitions';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { BackupReader } from '../../src/backup/backup-directory.js';
import { createBackup } from '../../src/backup/create-backup.js';
import { accessOfStandalone } from '../../src/backup/deployment.js';
import { rehearseRestore, restoreBackup } from '../../src/backup/restore-backup.js';
import { createEarlierDatabase } from '../support/earlier-database.js';

const SECRET_KEY = 'k'.repeat(32);
const TWO_DAYS_AGO = Date.now() - 2 * 24 * 3_600_000;

/** Rewrites a table, after which older snapshots see it empty. */
class RewriteMailboxHeads1790000009998 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.mailbox_head ALTER head TYPE numeric');
  }

  async down(): Promise<void> {}
}

/** The newest migration of this build, which the backup does not contain. */
class AddNote1790000009997 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE gateway.mailbox_head ADD note text NOT NULL DEFAULT 'none'`);
  }

  async down(): Promise<void> {}
}
const withNewMigration = { ...gatewayDatabase, migrations: [...gatewayDatabase.migrations, AddNote1790000009997] };

/** The newest migration that the backup contains. It lets the server pad a column with spaces. */
const LastMigration = gatewayDatabase.migrations.at(-1)!;
class PaddedPrincipals implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await new LastMigration().up(runner);
    await runner.query('ALTER TABLE gateway.mailbox_head ALTER principal TYPE char(40)');
  }

  async down(): Promise<void> {}
}
Object.defineProperty(PaddedPrincipals, 'name', { value: LastMigration.name });
const withPaddedPrincipals = {
  ...gatewayDatabase,
  migrations: gatewayDatabase.migrations.map((each) => (each === LastMigration ? PaddedPrincipals : each)),
};

describe('restoring', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fw-restore-'));
  const root = join(directory, 'backups');
  const databases: TestDatabase[] = [];

  /** A database that a previous build has migrated: `AddNote` is missing. */
  beforeAll(async () => {
    const source = await createDatabase();
    for (const app of [userctxDatabase, mcdiskDatabase, gatewayDatabase])
      await migrateAppDatabase({ ...app, ...source });
    const owner = { url: source.migrationUrl, variableName: 'MIGRATION_DATABASE_URL' };
    await maintainLocationPartitions(owner, { now: Date.now() });
    await query(source, `INSERT INTO gateway.mailbox_head (principal, head) VALUES ('user:tab\tand\\backslash', 7)`);
    await query(
      source,
      `INSERT INTO userctx.outbox (id, partition, key, name, time, payload, confirmed_at)
       SELECT gen_random_uuid(), 1, 'k', 'userctx.test.happened', $1, '{"text":"ä\\n"}', now() FROM generate_series(1, 3)`,
      [Date.now()],
    );
    await query(
      source,
      `INSERT INTO userctx.location_point
         (cid, did, position_time, received_at, latitude, longitude, radius, point_type, flags)
       VALUES (gen_random_uuid(), 1, $1, $1, 31.2, 121.4, 10, 1, 0)`,
      [TWO_DAYS_AGO],
    );
    await query(
      source,
      `INSERT INTO mcdisk.family_cloud (cloud_id, disk_size, created_at, updated_at) VALUES ('f', 100, 0, 0)`,
    );
    await query(
      source,
      `INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since) VALUES (gen_random_uuid(), 'f', 'STAGED', 0)`,
    );
    await query(
      source,
      `INSERT INTO mcdisk.upload (content_id, task_id, cloud_id, principal, session_id, token_hash, name, size, state,
                                  blob_key, created_at, expires_at, received_size)
       SELECT gen_random_uuid(), gen_random_uuid(), 'f', 'user:u', 's', '', 'a.jpg', 9, 'RECEIVING', blob_key, 0, 0, 5
         FROM mcdisk.blob`,
    );
    await query(
      source,
      `INSERT INTO mcdisk.album (photo_id, cloud_id, name, created_by, created_at, updated_at)
       VALUES (gen_random_uuid(), 'f', 'Summer', 'user:u', 0, 0)`,
    );
    await addToAlbum(source, 2);
    await backUp('backups', source, true);
  });
  afterAll(async () => {
    for (const database of databases) await database.drop();
    rmSync(directory, { recursive: true });
  });

  async function createDatabase(): Promise<TestDatabase> {
    const database = await createTestDatabase();
    databases.push(database);
    return database;
  }

  const environmentIn = (name: string): Environment =>
    Object.assign(new Environment(), { DATA_DIR: join(directory, name) });

  const query = (database: TestDatabase, sql: string, parameters: unknown[] = []) =>
    withClient(
      database.adminUrl,
      async (client) => (await client.query<Record<string, unknown>>(sql, parameters)).rows,
    );

  /** Adds purged contents, which need no bytes, to the album. */
  const addToAlbum = (database: TestDatabase, count: number) =>
    query(
      database,
      `WITH content AS (
         INSERT INTO mcdisk.content (content_id, cloud_id, name, size, digest, type, media_type, uploader, state,
                                     created_at, updated_at)
         SELECT gen_random_uuid(), 'f', '', 0, '', 1, '', 'user:u', 'PURGED', 0, 0 FROM generate_series(1, $1)
         RETURNING content_id
       )
       INSERT INTO mcdisk.album_content (cloud_id, photo_id, content_id, added_at, taken_at)
       SELECT 'f', photo_id, content_id, 0, 0 FROM mcdisk.album, content`,
      [count],
    );

  /** Writes a backup below a directory of this name, with the files of the place `dataDir`. */
  function backUp(name: string, database: TestDatabase, includeSecrets = false, dataDir = 'source') {
    const root = join(directory, name);
    mkdirSync(root, { recursive: true });
    const apps = accessOfStandalone(database, SECRET_KEY);
    return createBackup({ root, apps, environment: environmentIn(dataDir), includeSecrets });
  }

  const interrupt = () => {
    throw new Error('interrupted');
  };

  async function restore(
    target: TestDatabase,
    options: { backup?: BackupReader; beforeCompletion?: () => void; gateway?: typeof withNewMigration } = {},
  ) {
    const { gateway = gatewayDatabase, ...others } = options;
    const backup = options.backup ?? (await BackupReader.open(root, undefined));
    const apps = accessOfStandalone(target, SECRET_KEY).map((app) =>
      app.declaration === gatewayDatabase ? { ...app, declaration: gateway } : app,
    );
    const environment = environmentIn(target.name);
    return restoreBackup({ ...others, backup, apps, environment, secrets: 'keep' });
  }

  test('a backup of a previous build is restored at its level and migrated to the level of this build', async () => {
    const target = await createDatabase();
    await restore(target, { gateway: withNewMigration });
    expect(await query(target, 'SELECT principal, head, note FROM gateway.mailbox_head')).toEqual([
      { principal: 'user:tab\tand\\backslash', head: '7', note: 'none' },
    ]);
    expect(await query(target, 'SELECT restored_at = epoch AS "isNewEpoch" FROM gateway.epoch')).toEqual([
      { isNewEpoch: true },
    ]);
    const day = new Date(TWO_DAYS_AGO).toISOString().slice(0, 10).replaceAll('-', '_');
    expect(await query(target, 'SELECT tableoid::regclass::text AS partition FROM userctx.location_point')).toEqual([
      { partition: `userctx.location_point_${day}` },
    ]);
    const [next] = await query(
      target,
      `INSERT INTO userctx.outbox (id, partition, key, name, time, payload)
       VALUES (gen_random_uuid(), 1, 'k', 'n', 0, '{}') RETURNING position`,
    );
    expect(Number(next?.['position'])).toBeGreaterThan(3);
    // The bus of this database was never used, so no event that was published is published again.
    expect(await query(target, 'SELECT FROM userctx.outbox WHERE confirmed_at IS NOT NULL')).toHaveLength(3);
    expect(await query(target, 'SELECT state, received_size, blob_key FROM mcdisk.upload')).toEqual([
      { state: 'PENDING', received_size: '0', blob_key: null },
    ]);
    expect(await query(target, 'SELECT operation FROM userctx.operator_audit_entry')).toEqual([
      { operation: 'restore' },
    ]);
  });

  test('tables that triggers fill are restored as they were, and the triggers count new rows', async () => {
    const target = await createDatabase();
    await restore(target);
    const countContents = () => query(target, 'SELECT cid, placed FROM mcdisk.album_count');
    expect(await countContents()).toEqual([{ cid: null, placed: 2 }]);
    await addToAlbum(target, 1);
    expect(await countContents()).toEqual([{ cid: null, placed: 3 }]);
  });

  test('a rehearsal accepts a backup whose rows come back from the database, and rejects it if they differ', async () => {
    const backup = await BackupReader.open(root, undefined);
    expect(await rehearseRestore(backup, accessOfStandalone(await createDatabase(), undefined))).toBeGreaterThan(10);
    const apps = accessOfStandalone(await createDatabase(), undefined).map((app) =>
      app.declaration === gatewayDatabase ? { ...app, declaration: withPaddedPrincipals } : app,
    );
    await expect(rehearseRestore(backup, apps)).rejects.toThrow('rows of gateway.mailbox_head are not those');
  });

  test('a rehearsal rejects a backup whose list of files is not that of its rows', async () => {
    const source = databases[0]!;
    await query(source, `UPDATE mcdisk.blob SET state = 'LIVE', size = 3, digest = repeat('0', 64)`);
    const { path } = await backUp('blob-list', source);
    await query(source, `UPDATE mcdisk.blob SET state = 'STAGED'`);
    const backup = await BackupReader.open(path, undefined);
    const isComplete = await rehearseRestore(backup, accessOfStandalone(await createDatabase(), undefined));
    expect(isComplete).toBeGreaterThan(10);
    backup.readBlobList = () => Promise.resolve([]);
    const apps = accessOfStandalone(await createDatabase(), undefined);
    await expect(rehearseRestore(backup, apps)).rejects.toThrow('are not those that its rows name');
  });

  test('a backup of a newer build is rejected before anything is written', async () => {
    const [target, backup] = [await createDatabase(), await BackupReader.open(root, undefined)];
    backup.manifest.migrations['gateway']?.push('Teleportation1790000009999');
    await expect(restore(target, { backup })).rejects.toThrow('A newer build has written this backup');
    expect(await query(target, `SELECT FROM pg_namespace WHERE nspname = 'userctx'`)).toEqual([]);
  });

  test('a backup before the last build before 1.0.0 is rejected, and a database of that build is not backed up', async () => {
    const [target, backup] = [await createDatabase(), await BackupReader.open(root, undefined)];
    backup.manifest.migrations['gateway'] = ['EventBus1790000001010'];
    await expect(restore(target, { backup })).rejects.toThrow(
      /An older build has written this backup .* whose last migration is CallMedia1790000001200/,
    );
    expect(await query(target, `SELECT FROM pg_namespace WHERE nspname = 'userctx'`)).toEqual([]);
    const earlier = await createEarlierDatabase();
    databases.push(earlier);
    await expect(backUp('earlier', earlier)).rejects.toThrow('An older build has migrated userctx');
  });

  test('an interrupted restore leaves a database that can be neither used nor backed up, and can be repeated', async () => {
    const target = await createDatabase();
    await expect(restore(target, { beforeCompletion: interrupt })).rejects.toThrow('interrupted');
    await expect(migrateAppDatabase({ ...userctxDatabase, ...target })).rejects.toThrow('a restore did not finish');
    await expect(backUp('unfinished', target)).rejects.toThrow('A restore of userctx did not finish');
    await restore(target);
    await migrateAppDatabase({ ...userctxDatabase, ...target });
    await expect(restore(target)).rejects.toThrow('already contains the schema userctx');
  });

  test('a schema that is not that of the unfinished restore prevents its repetition', async () => {
    const target = await createDatabase();
    await expect(restore(target, { beforeCompletion: interrupt })).rejects.toThrow('interrupted');
    await query(target, 'DROP SCHEMA gateway CASCADE');
    await query(target, 'CREATE SCHEMA gateway CREATE TABLE gateway.other ()');
    await expect(restore(target)).rejects.toThrow('already contains the schema gateway');
    await query(target, 'SELECT FROM gateway.other');
  });

  test('events that a lost stream may have contained are published again', async () => {
    const target = await createDatabase();
    const source = databases[0]!;
    await query(source, `UPDATE userctx.relay SET stream_identity = 'stream', stream_sequence = 9`);
    await query(source, 'UPDATE userctx.outbox SET time = $1 WHERE position = 1', [TWO_DAYS_AGO]);
    const { path } = await backUp('nats', source);
    await restore(target, { backup: await BackupReader.open(path, undefined) });
    const unpublished = await query(target, 'SELECT position FROM userctx.outbox WHERE confirmed_at IS NULL');
    expect(unpublished.map(({ position }) => position)).toEqual(['2', '3']);
    expect(await query(target, 'SELECT stream_identity FROM userctx.relay')).toEqual([{ stream_identity: null }]);
  });

  test('a backup is complete although its time cannot be written to the store, and says so', async () => {
    const writeBackup = (name: string) => backUp(name, databases[0]!, false, 'read-only');
    expect((await writeBackup('marked')).markError).toBeUndefined();
    const files = readdirSync(join(directory, 'read-only'), { recursive: true, withFileTypes: true });
    for (const { name, parentPath } of files.filter((file) => file.isFile())) {
      rmSync(join(parentPath, name));
      mkdirSync(join(parentPath, name));
    }
    const { path, markError } = await writeBackup('unmarked');
    expect(markError).toBeInstanceOf(Error);
    await BackupReader.open(path, undefined);
  });

  test('accounts whose deletion a later backup has seen are deleted again, unless it was cancelled', async () => {
    const source = await createDatabase();
    await restore(source);
    const writeBackup = () => backUp('deletions', source, false, source.name);
    const [erased, waiting, changedMind, unaffected] = Array.from({ length: 4 }, () => randomUUID());
    for (const [index, userId] of [erased, waiting, changedMind, unaffected].entries())
      await query(
        source,
        `INSERT INTO userctx.account (user_id, area_code, phone_number, nickname, time_zone, created_at, updated_at)
         VALUES ($1, '+86', $2, 'Anna', 'UTC', 0, 0)`,
        [userId, `1380000000${index}`],
      );
    const receipts = new Map<string | undefined, string>(
      [erased, waiting, changedMind].map((userId) => [userId, randomUUID()]),
    );
    const ask = (userId: string | undefined) =>
      query(
        source,
        `INSERT INTO userctx.account_deletion (receipt_id, user_id, state, requested_at, erase_at, due_at)
         VALUES ($1, $2, 'REQUESTED', 5, 7, 7)`,
        [receipts.get(userId), userId],
      );
    await ask(changedMind);
    const { path: first } = await writeBackup();
    for (const userId of [erased, waiting]) await ask(userId);
    await writeBackup();
    await query(source, 'DELETE FROM userctx.account_deletion WHERE user_id = $1', [changedMind]);
    await query(
      source,
      `UPDATE userctx.account_deletion SET state = 'COMPLETED', user_id = NULL, due_at = NULL, digest = 'd'
        WHERE user_id = $1`,
      [erased],
    );
    await query(source, 'DELETE FROM userctx.account WHERE user_id = $1', [erased]);
    await writeBackup();
    const target = await createDatabase();
    const report = await restore(target, { backup: await BackupReader.open(first, undefined) });
    expect(report).toContain('2 deletions of accounts had been requested after the backup and are carried out');
    expect(report).toContain('1 deletions of accounts had been cancelled after the backup and are not carried out');
    const rows = await query(target, 'SELECT user_id, receipt_id, state, due_at FROM userctx.account_deletion');
    expect(rows).toHaveLength(2);
    // A deletion that no backup has seen carried out may have been cancelled since, so the person can cancel it again.
    const dueAt = (userId: string | undefined) => rows.find((row) => row['user_id'] === userId)?.['due_at'];
    expect(dueAt(erased)).toBe('7');
    expect(Number(dueAt(waiting))).toBeGreaterThan(Date.now() + 2 * 24 * 60 * 60_000);
    for (const userId of [erased, waiting])
      expect(rows).toContainEqual({
        user_id: userId,
        receipt_id: receipts.get(userId),
        state: 'REQUESTED',
        due_at: dueAt(userId),
      });
  });

  test('a migration that begins during a backup waits until the backup has copied its tables', async () => {
    const source = await createDatabase();
    await restore(source);
    const migrations = [...gatewayDatabase.migrations, RewriteMailboxHeads1790000009998];
    const countWaiting = async () => {
      const [row] = await query(
        source,
        `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return Number(row?.['waiting']);
    };
    const work = await withClient(source.adminUrl, async (client) => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE userctx.family IN ACCESS EXCLUSIVE MODE');
      const backup = backUp('during-migration', source, false, source.name);
      await waitUntil('the backup', async () => (await countWaiting()) === 1);
      let isMigrated = false;
      const migration = migrateAppDatabase({ ...gatewayDatabase, ...source, migrations }).then(
        () => (isMigrated = true),
      );
      await waitUntil('the migration', async () => isMigrated || (await countWaiting()) === 2);
      await client.query('COMMIT');
      return { backup, migration };
    });
    const { manifest } = await work.backup;
    await work.migration;
    expect(manifest.tables.find(({ table }) => table === 'mailbox_head')).toMatchObject({ rows: 1 });
  });
});
