import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BackupReader, BackupWriter, listBackups, rotate } from '../../src/backup/backup-directory.js';
import { createBackupKey, readBackupKey } from '../../src/backup/backup-file.js';

/** A table and a few blobs, as a backup of the service contains. */
interface Content {
  rows: string;
  blobs: ReadonlyMap<string, Buffer>;
}

const directory = mkdtempSync(join(tmpdir(), 'fw-backups-'));
let publicKey: string;
let privateKey: string;
let otherKey: string;
let created = 0;

beforeAll(async () => {
  const keyFile = (name: string) => join(directory, `${name}.key`);
  publicKey = await createBackupKey(keyFile('one'));
  await createBackupKey(keyFile('two'));
  privateKey = await readBackupKey(keyFile('one'));
  otherKey = await readBackupKey(keyFile('two'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const newRoot = () => mkdtempSync(join(directory, 'root-'));

function createContent(blobCount = 2): Content {
  const blobs = Array.from({ length: blobCount }, () => [randomUUID(), randomBytes(70_000)] as const);
  return { rows: 'Anna\t1\nMia\t2\n', blobs: new Map(blobs) };
}

const rowsOf = (rows: string) =>
  Object.assign(Readable.from([Buffer.from(rows)]), { rowCount: rows.split('\n').length - 1 });

async function write(root: string, { rows, blobs }: Content, key?: string) {
  const snapshotAt = Date.UTC(2026, 0, 1) + 1_000 * created++;
  const writer = await BackupWriter.create(root, snapshotAt, key);
  const table = await writer.writeTable({ schema: 'userctx', table: 'child', columns: ['name', 'cid'] }, rowsOf(rows));
  let newBlobs = 0;
  for (const [blob, bytes] of blobs) if (await writer.addBlob(blob, async () => Readable.from([bytes]))) newBlobs += 1;
  const list = [...blobs].map(([blob, bytes]) => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    return `${blob}\t${bytes.length}\t${digest}\n`;
  });
  const path = await writer.complete({
    snapshotAt,
    migrations: {},
    tables: [table],
    sequences: [],
    ...(await writer.writeBlobList(list.join(''))),
    missingBlobs: [],
    storeId: null,
    keyFingerprints: {},
    secrets: await writer.writeSecrets({ userctx: 'secret' }),
  });
  return { path, newBlobs };
}

/** Returns the files below a directory. */
const filesOf = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe.each(['plain', 'encrypted'])('a backup (%s)', (kind) => {
  const keys = () => (kind === 'plain' ? {} : { publicKey, privateKey });

  test('returns what was written', async () => {
    const [root, content] = [newRoot(), createContent()];
    await write(root, content, keys().publicKey);
    const backup = await BackupReader.open(root, keys().privateKey);
    await backup.verify();
    const [table] = backup.manifest.tables;
    expect(table).toMatchObject({ table: 'child', columns: ['name', 'cid'], rows: 2 });
    expect(await backup.readTable(table!, text)).toBe(content.rows);
    expect(await backup.readSecrets()).toEqual({ userctx: 'secret' });
    for (const blob of await backup.readBlobList()) {
      const bytes = await backup.readBlob(blob, buffer);
      expect(bytes.equals(content.blobs.get(blob.key)!)).toBe(true);
    }
  });

  test('is rejected if any of its files is changed, truncated or missing', async () => {
    const root = newRoot();
    const { path } = await write(root, createContent(1), keys().publicKey);
    const verify = async () => (await BackupReader.open(path, keys().privateKey)).verify();
    await verify();
    const files = [...filesOf(path), ...filesOf(join(root, 'blobs'))];
    expect(files).toHaveLength(6);
    for (const file of files) {
      const bytes = readFileSync(file);
      const changed = Buffer.from(bytes);
      changed[bytes.length >> 1]! ^= 1;
      writeFileSync(file, changed);
      await expect(verify()).rejects.toThrow(/damaged|cannot be read/);
      writeFileSync(file, bytes);
      truncateSync(file, bytes.length - 1);
      await expect(verify()).rejects.toThrow(/damaged|cannot be read/);
      rmSync(file);
      await expect(verify()).rejects.toThrow(/damaged|cannot be read|is no backup/);
      writeFileSync(file, bytes);
    }
    await verify();
  });

  test('without its last step is no backup, and the next backup removes what it left', async () => {
    const root = newRoot();
    const writer = await BackupWriter.create(root, Date.now(), keys().publicKey);
    await writer.writeTable({ schema: 'userctx', table: 'child', columns: [] }, rowsOf('x\n'));
    await expect(BackupReader.open(root, keys().privateKey)).rejects.toThrow('contains no backup');
    const { path } = await write(root, createContent(), keys().publicKey);
    expect(readdirSync(root).toSorted()).toEqual([expect.stringContaining('2026-'), 'blobs']);
    expect((await BackupReader.open(root, keys().privateKey)).directory).toBe(path);
  });
});

test('an encrypted backup is rejected without a key and with another one, and contains nothing readable', async () => {
  const root = newRoot();
  await write(root, createContent(), publicKey);
  await expect(BackupReader.open(root, undefined)).rejects.toThrow('BACKUP_KEY_FILE');
  await expect(BackupReader.open(root, otherKey)).rejects.toThrow('cannot be read');
  expect(filesOf(root).filter((file) => /\.(gz|json)$/.test(file))).toEqual([expect.stringMatching(/blob-keys\.gz$/)]);
});

test('a directory of another program is rejected', async () => {
  const root = newRoot();
  writeFileSync(join(root, 'manifest.json.gz'), '{}');
  await expect(BackupReader.open(root, undefined)).rejects.toThrow('contains no backup');
  await expect(BackupReader.open(join(root, 'absent'), undefined)).rejects.toThrow('contains no backup');
});

test.each([
  ['blobPool', { blobPool: '../..' }],
  ['table', { tables: [{ name: '../../other', bytes: 1, sha256: '' }] }],
  ['secrets', { secrets: { name: '/etc/hostname', bytes: 1, sha256: '' } }],
])('a manifest that names a file outside of the backup is rejected (%s)', async (_, change) => {
  const { path } = await write(newRoot(), createContent(1));
  const file = join(path, 'manifest.json.gz');
  const { content } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as { content: string };
  const changed = JSON.stringify({ ...JSON.parse(content), ...change });
  const sha256 = createHash('sha256').update(changed).digest('hex');
  writeFileSync(file, gzipSync(JSON.stringify({ sha256, content: changed })));
  await expect(BackupReader.open(path, undefined)).rejects.toThrow('outside of the backup');
});

test('no backup is written beside one from the future, before which the rotation would delete it', async () => {
  const root = newRoot();
  await write(root, createContent(1));
  const earlier = Date.UTC(2025, 0, 1);
  await expect(BackupWriter.create(root, earlier, undefined)).rejects.toThrow('is from the future');
});

test('backups share unchanged blobs, and the rotation deletes those that no remaining backup contains', async () => {
  const [root, first, later] = [newRoot(), createContent(3), createContent(1)];
  expect((await write(root, first)).newBlobs).toBe(3);
  const [deleted = ''] = first.blobs.keys();
  const second = { ...first, blobs: new Map([...first.blobs, ...later.blobs].filter(([key]) => key !== deleted)) };
  expect((await write(root, second)).newBlobs).toBe(1);
  // Another key does not use the blobs that were stored for the first one.
  expect((await write(root, second, publicKey)).newBlobs).toBe(3);
  const pathOf = (pool: string, key: string) => join(root, 'blobs', pool, key.slice(0, 2), key);
  expect(existsSync(pathOf('plain', deleted))).toBe(true);

  expect(await rotate(root, 2)).toHaveLength(1);
  expect(existsSync(pathOf('plain', deleted))).toBe(false);
  expect(await listBackups(root)).toHaveLength(2);
  for (const name of await listBackups(root)) await (await BackupReader.open(join(root, name), privateKey)).verify();
  expect(filesOf(join(root, 'blobs'))).toHaveLength(6);

  await rotate(root, 1);
  expect(filesOf(join(root, 'blobs'))).toHaveLength(3);
  await (await BackupReader.open(root, privateKey)).verify();
});

test('an error of the target ends the reading of a file', async () => {
  const [root, content] = [newRoot(), createContent(1)];
  await write(root, content, publicKey);
  const backup = await BackupReader.open(root, privateKey);
  const [blob] = await backup.readBlobList();
  const failing = () => Promise.reject(new Error('disk full'));
  await expect(backup.readBlob(blob!, failing)).rejects.toThrow('disk full');
});
