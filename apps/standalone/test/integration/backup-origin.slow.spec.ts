import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { Environment } from '@family-watch/platform/config/environment';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { authenticationKeyOf } from '../../src/backup/authenticity.js';
import { BackupReader, type Manifest } from '../../src/backup/backup-directory.js';
import { createBackupKey, readBackupKey } from '../../src/backup/backup-file.js';
import { createBackup } from '../../src/backup/create-backup.js';
import { readDeletionList } from '../../src/backup/deletion-list.js';
import { accessOfStandalone } from '../../src/backup/deployment.js';
import { restoreBackup } from '../../src/backup/restore-backup.js';
import { EARLIER_BACKUPS, EARLIER_FAMILY } from '../support/earlier-backups.js';

const computeDigest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('the origin of a backup', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fw-origin-'));
  const path = (...names: string[]) => join(directory, ...names);
  const databases: TestDatabase[] = [];
  /** Key pairs: private key, and what the service has of it. */
  const pairs: { privateKey: string; variables: Partial<Environment> }[] = [];
  const secretKey = authenticationKeyOf(EARLIER_FAMILY.secretKey);
  const bySecretKey = { backupKey: undefined, secretKey };

  beforeAll(async () => {
    execFileSync('tar', ['-xzf', EARLIER_BACKUPS, '-C', directory, '--no-same-owner']);
    for (const name of ['one.key', 'two.key']) {
      const publicKey = await createBackupKey(path(name));
      const privateKey = await readBackupKey(path(name));
      const key = authenticationKeyOf(privateKey).toString('hex');
      pairs.push({ privateKey, variables: { BACKUP_PUBLIC_KEY: publicKey, BACKUP_AUTHENTICATION_KEY: key } });
    }
    await restore(await BackupReader.open(path('plain'), undefined), await createDatabase(), 'source');
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

  const environmentIn = (name: string, variables: Partial<Environment> = {}): Environment =>
    Object.assign(new Environment(), { DATA_DIR: path(name), ...variables });

  const restore = (backup: BackupReader, target: TestDatabase, name: string, acceptsOlder = false) =>
    restoreBackup({
      backup,
      apps: accessOfStandalone(target, EARLIER_FAMILY.secretKey),
      environment: environmentIn(name),
      secrets: 'keep',
      acceptsOlder,
    });

  async function backUp(root: string, variables: Partial<Environment> = {}, key: string = EARLIER_FAMILY.secretKey) {
    mkdirSync(root, { recursive: true });
    const [source] = databases;
    const apps = accessOfStandalone(source!, key);
    return createBackup({ root, apps, environment: environmentIn('source', variables), includeSecrets: true });
  }

  test('rows of a backup of the last build before 1.0.0 have the names of the present handlers', async () => {
    const { rows } = await withClient(databases[0]!.adminUrl, (client) =>
      client.query<{ handler: string }>('SELECT DISTINCT handler FROM gateway.inbox ORDER BY handler'),
    );
    const handlers = rows.map(({ handler }) => handler);
    expect(handlers).toContain('gateway.families.store-snapshot');
    expect(handlers.filter((handler) => handler in gatewayDatabase.adoption!.renamedHandlers)).toEqual([]);
  });

  test('an encrypted backup is proven by the private key alone, a plain one by SECRET_KEY', async () => {
    const [pair, other] = pairs;
    const encrypted = await backUp(path('encrypted-root'), pair!.variables);
    const backup = await BackupReader.open(encrypted.path, pair!.privateKey);
    const backupKey = authenticationKeyOf(pair!.privateKey);
    expect(await backup.authenticate({ backupKey, secretKey: undefined })).toBe(undefined);
    const ofOther = { backupKey: authenticationKeyOf(other!.privateKey), secretKey: undefined };
    expect(await backup.authenticate(ofOther)).toContain('not written with the key of BACKUP_KEY_FILE');

    const plain = await BackupReader.open((await backUp(path('plain-root'))).path, undefined);
    expect(await plain.authenticate(bySecretKey)).toBe(undefined);
    const another = { backupKey: undefined, secretKey: authenticationKeyOf('x'.repeat(32)) };
    expect(await plain.authenticate(another)).toContain('not written with the key of SECRET_KEY');
  });

  test('A41 a plain backup, and one that somebody else wrote for the public key, prove nothing', async () => {
    const [pair, other] = pairs;
    const backupKey = authenticationKeyOf(pair!.privateKey);
    const plain = await BackupReader.open((await backUp(path('downgraded'))).path, undefined);
    expect(await plain.authenticate({ backupKey, secretKey })).toBe(
      'it is not encrypted, although BACKUP_KEY_FILE is set',
    );
    const { BACKUP_PUBLIC_KEY } = pair!.variables;
    // The backups contain the SECRET_KEY with which they were authenticated, which proves nothing.
    const foreign = [{ ...other!.variables, BACKUP_PUBLIC_KEY }, { BACKUP_PUBLIC_KEY }];
    for (const [index, variables] of foreign.entries()) {
      const { path: written } = await backUp(path(`foreign-${index}`), variables, 'SECRET_KEY of somebody else');
      const backup = await BackupReader.open(written, pair!.privateKey);
      await backup.verify();
      expect(await backup.authenticate({ backupKey, secretKey })).toContain('it was not written with the key of');
    }
  });

  test('A41 a changed table with matching digests, and an old backup under a new name, prove nothing', async () => {
    const { path: written } = await backUp(path('changed'));
    const manifestFile = join(written, 'manifest.json.gz');
    const { content } = JSON.parse(gunzipSync(readFileSync(manifestFile)).toString()) as { content: string };
    const manifest = JSON.parse(content) as Manifest;
    const file = manifest.tables.find(({ table }) => table === 'account')!;
    const rows = gunzipSync(readFileSync(join(written, file.name))).toString();
    const changedRows = gzipSync(rows.replaceAll('Anna', 'Eve'));
    writeFileSync(join(written, file.name), changedRows);
    Object.assign(file, { bytes: changedRows.length, sha256: computeDigest(changedRows) });
    const changed = JSON.stringify(manifest);
    writeFileSync(manifestFile, gzipSync(JSON.stringify({ sha256: computeDigest(changed), content: changed })));
    const backup = await BackupReader.open(written, undefined);
    await backup.verify();
    expect(await backup.authenticate(bySecretKey)).toContain('or it was changed');

    const { path: old } = await backUp(path('renamed'));
    const renamed = path('renamed', '2100-01-01T00-00-00-000Z');
    renameSync(old, renamed);
    const newest = await BackupReader.open(path('renamed'), undefined);
    expect(basename(newest.directory)).toBe(basename(renamed));
    expect(await newest.authenticate(bySecretKey)).toContain('or it was changed');
  });

  test('A41 a file that is replaced after the check of the backup is not restored', async () => {
    const backup = await BackupReader.open((await backUp(path('replaced'))).path, undefined);
    await backup.verify();
    const file = backup.manifest.tables.find(({ table }) => table === 'account')!;
    writeFileSync(join(backup.directory, file.name), gzipSync(''));
    await expect(backup.readTable(file, text)).rejects.toThrow('its digest is wrong');
  });

  test('the backup contains the digest of a file that was stored before the database had digests', async () => {
    const [source] = databases;
    const [known] = await (await BackupReader.open((await backUp(path('digests'))).path, undefined)).readBlobList();
    await withClient(source!.adminUrl, (client) => client.query('UPDATE mcdisk.blob SET digest = NULL'));
    const { path: written } = await backUp(path('digests'));
    const [listed] = await (await BackupReader.open(written, undefined)).readBlobList();
    expect(listed).toEqual({ ...known, digest: computeDigest('kept bytes') });
  });

  test('A41 a backup is refused that is older than the newest one that the blob store knows', async () => {
    const target = await createDatabase();
    const older = await backUp(path('ages'));
    const newer = await backUp(path('ages'));
    cpSync(path('source', 'blobs'), path('kept', 'blobs'), { recursive: true });
    const open = (name: string) => BackupReader.open(name, undefined);
    await expect(restore(await open(older.path), target, 'kept')).rejects.toThrow(/the blob store knows one of/);
    await restore(await open(newer.path), target, 'kept');
    cpSync(path('source', 'blobs'), path('kept-again', 'blobs'), { recursive: true });
    await restore(await open(older.path), await createDatabase(), 'kept-again', true);
  });

  test('after a change of a key, a backup in the same directory continues the list of deletions', async () => {
    const root = path('changed-keys');
    for (const { variables } of pairs) await backUp(root, variables);
    await backUp(root, pairs[1]!.variables, 'a new SECRET_KEY');
    await expect(backUp(root, {}, 'another SECRET_KEY')).rejects.toThrow('not written with the keys of this service');
  });

  test('A41 a list of deletions that was changed, is missing or is older than the backup is refused', async () => {
    const root = path('lists');
    await backUp(root);
    const list = join(root, 'account-deletions.json');
    const olderList = readFileSync(list, 'utf8');
    const backup = await BackupReader.open((await backUp(root)).path, undefined);
    await backup.authenticate(bySecretKey);
    const read = () => readDeletionList(root, backup.trustedKeys, { since: backup.manifest.snapshotAt });
    expect(await read()).toEqual([]);
    const stored = readFileSync(list, 'utf8');
    writeFileSync(list, stored.replace('[]', '[ ]'));
    await expect(read()).rejects.toThrow('was not written with the keys of this service, or was changed');
    await expect(backUp(root)).rejects.toThrow('was not written with the keys of this service, or was changed');
    writeFileSync(list, '[]');
    await expect(backUp(root)).rejects.toThrow('was not written with the keys of this service, or was changed');
    writeFileSync(list, olderList);
    await expect(read()).rejects.toThrow('is older than the backup');
    rmSync(list);
    await expect(read()).rejects.toThrow('is missing, but belongs to the backup');
  });

  test('the first backup that is authenticated adopts the list of deletions of an earlier build', async () => {
    await backUp(path('plain'));
    const stored = JSON.parse(readFileSync(path('plain', 'account-deletions.json'), 'utf8')) as { macs: string[] };
    expect(stored.macs).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });
});
