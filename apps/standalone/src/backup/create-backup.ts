import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBlobStore } from '@family-watch/mcdisk/storage/blobs/blob-store-provider';
import { BlobMissingError, type BlobStore } from '@family-watch/mcdisk/storage/blobs/blob-store';
import { writeNewestBackupTime } from '@family-watch/mcdisk/storage/garbage-collection/store-identity.service';
import type { Environment } from '@family-watch/platform/config/environment';
import { lockMigrations, unlockMigrations } from '@family-watch/platform/database/migrate';
import { isRestoreUnfinished } from '@family-watch/platform/database/schema-restore';
import {
  beginSharedSnapshot,
  copyQueryTo,
  copyTableTo,
  listExecutedMigrations,
  listSequences,
  listTables,
  openCopyConnection,
  type CopyConnection,
  type TableColumns,
} from '@family-watch/platform/database/table-copy';
import { UsageError } from '@family-watch/platform/app/operator/command-line';
import { holdLocationPartitions } from '@family-watch/userctx/database/location-partitions';
import { authenticationKeyOf, listKeys } from './authenticity.js';
import {
  BackupWriter,
  DamagedBlobError,
  forEachBlob,
  formatBlobList,
  parseBlobList,
  SELECT_BLOBS,
  verifyBlob,
  type ListedBlob,
  type Manifest,
} from './backup-directory.js';
import { updateDeletionList } from './deletion-list.js';
import { fingerprintOf, secretKeyOf, type AppAccess } from './deployment.js';

/** Pauses before another attempt to read a blob, for example while an object store restarts. Milliseconds. */
const RETRY_PAUSES_MS = [1_000, 5_000, 20_000];

export interface BackupRequest {
  root: string;
  apps: readonly AppAccess[];
  /** Settings of the blob store. */
  environment: Environment;
  includeSecrets: boolean;
}

export interface BackupResult {
  path: string;
  manifest: Pick<Manifest, 'tables' | 'missingBlobs' | 'secrets'>;
  blobs: number;
  /** Number of blobs that no earlier backup had stored. */
  newBlobs: number;
  /** Why the store does not know the time of the backup; undefined if it does. */
  markError: Error | undefined;
}

/**
 * Writes a backup while the service runs. All tables are of one snapshot. The blobs are copied after it: a blob is
 * immutable, and its bytes are deleted a week after its last reference at the earliest.
 */
export async function createBackup({ root, apps, environment, includeSecrets }: BackupRequest): Promise<BackupResult> {
  const store = await createBlobStore(environment);
  const { BACKUP_PUBLIC_KEY, BACKUP_AUTHENTICATION_KEY: authenticationKey } = environment;
  const authenticationKeys = listKeys({
    // Only who has the private key knows this key too.
    backupKey: BACKUP_PUBLIC_KEY && authenticationKey ? Buffer.from(authenticationKey, 'hex') : undefined,
    secretKey: authenticationKeyOf(secretKeyOf(apps)),
  });
  const writer = await BackupWriter.create(root, Date.now(), BACKUP_PUBLIC_KEY, authenticationKeys);
  try {
    const { list, ...database } = await copyDatabase(root, apps, { writer, authenticationKeys });
    const { blobs, missingBlobs, newBlobs } = await copyBlobs(writer, store, parseBlobList(list));
    const lists = await writer.writeBlobList(formatBlobList(blobs));
    const keys = apps.flatMap(({ declaration, secretKey }) =>
      secretKey === undefined ? [] : [[declaration.name, secretKey] as const],
    );
    const secrets = includeSecrets && keys.length > 0 ? await writer.writeSecrets(Object.fromEntries(keys)) : null;
    const keyFingerprints = Object.fromEntries(keys.map(([name, key]) => [name, fingerprintOf(key)]));
    const manifest = { ...database, ...lists, missingBlobs, keyFingerprints, secrets };
    const path = await writer.complete(manifest);
    // Whoever can read the store but not write it gets a complete backup all the same.
    const markError = await tryWriteMark(store, manifest.snapshotAt);
    return { path, manifest, blobs: blobs.length, newBlobs, markError };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

async function tryWriteMark(store: BlobStore, snapshotAt: number): Promise<Error | undefined> {
  try {
    await writeNewestBackupTime(store, snapshotAt);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** An app with the connection of its snapshot and its tables. */
interface Source extends AppAccess {
  connection: CopyConnection;
  tables: TableColumns[];
}

type DatabasePart = Pick<Manifest, 'snapshotAt' | 'migrations' | 'tables' | 'sequences' | 'storeId'>;

async function copyDatabase(
  root: string,
  apps: readonly AppAccess[],
  { writer, authenticationKeys }: { writer: BackupWriter; authenticationKeys: readonly Buffer[] },
): Promise<DatabasePart & { list: string }> {
  const connections: CopyConnection[] = [];
  try {
    const sources: Source[] = [];
    for (const app of apps) {
      const connection = await openCopyConnection(app.owner, 'family-watch:backup');
      connections.push(connection);
      sources.push({ ...app, connection, tables: [] });
    }
    const [first] = connections;
    if (!first) throw new Error('There are no apps');
    await holdLocationPartitions(first);
    await beginSnapshot(sources);
    const part: Pick<DatabasePart, 'migrations' | 'tables' | 'sequences'> = {
      migrations: {},
      tables: [],
      sequences: [],
    };
    const { rows } = await first.query<{ now: number }>('SELECT (extract(epoch FROM now()) * 1000)::bigint AS now');
    const snapshotAt = rows[0]?.now ?? 0;
    let list = '';
    let storeId: string | null = null;
    for (const { declaration, connection: client, tables } of sources) {
      const { schema, migrations } = declaration;
      const executed = await listExecutedMigrations(client, schema);
      const known = new Set(migrations.map(({ name }) => name));
      if (await isRestoreUnfinished(client, schema))
        throw new UsageError(`A restore of ${schema} did not finish; run \`npm run restore\` again`);
      if (executed.length === 0) throw new UsageError(`The schema ${schema} does not exist. Has the service started?`);
      const [baseline] = migrations;
      if (baseline && !executed.includes(baseline.name))
        throw new UsageError(`An older build has migrated ${schema}; use that build, or start this build once`);
      const unknown = executed.find((name) => !known.has(name));
      if (unknown !== undefined)
        throw new UsageError(`A newer build has migrated ${schema} (${unknown}); use that build`);
      part.migrations[schema] = executed;
      for (const table of tables) part.tables.push(await writer.writeTable(table, copyTableTo(client, table)));
      part.sequences.push(...(await listSequences(client, schema)));
      if (schema === 'userctx') await updateDeletionList(root, client, snapshotAt, authenticationKeys);
      if (schema === 'mcdisk') {
        list = await text(copyQueryTo(client, SELECT_BLOBS));
        storeId = await readStoreId(client);
      }
    }
    return { snapshotAt, ...part, storeId, list };
  } finally {
    for (const connection of connections) await connection.end();
  }
}

/**
 * Begins the snapshot and locks all tables in it. A migration that changed a table between the two would leave the table
 * empty in the snapshot (a rewriting ALTER TABLE is not transactional for older snapshots), so none runs meanwhile.
 */
async function beginSnapshot(sources: Source[]): Promise<void> {
  for (const { connection, declaration } of sources) await lockMigrations(connection, declaration.schema);
  await beginSharedSnapshot(sources.map(({ connection }) => connection));
  for (const source of sources) source.tables = await listTables(source.connection, source.declaration.schema);
  // The locks of the tables delay migrations from here on; the start of an app without new migrations need not wait.
  for (const { connection, declaration } of sources) await unlockMigrations(connection, declaration.schema);
}

async function readStoreId(client: CopyConnection): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>('SELECT store_id AS id FROM mcdisk.store_mark');
  return rows[0]?.id ?? null;
}

/** @returns the blobs with their digests, which only blobs that the store does not have may lack */
async function copyBlobs(
  writer: BackupWriter,
  store: BlobStore,
  listed: readonly ListedBlob[],
): Promise<{ blobs: ListedBlob[]; missingBlobs: string[]; newBlobs: number }> {
  const digests = new Map<string, string>();
  const missingBlobs: string[] = [];
  let newBlobs = 0;
  await forEachBlob(listed, async (blob) => {
    const { key } = blob;
    try {
      const digest = blob.digest ?? (await withRetries(() => digestBlob(store, blob)));
      digests.set(key, digest);
      const open = async () => Readable.from(verifyBlob(await store.open(key), { ...blob, digest }));
      if (await withRetries(() => writer.addBlob(key, open))) newBlobs += 1;
    } catch (error) {
      if (!isLost(error)) throw error;
      missingBlobs.push(key);
    }
  });
  const blobs = listed.map((blob) => ({ ...blob, digest: digests.get(blob.key) ?? null }));
  return { blobs, missingBlobs, newBlobs };
}

/** Reads a blob that was stored before digests were. Only a digest proves that its bytes belong to the backup. */
async function digestBlob(store: BlobStore, blob: ListedBlob): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(Readable.from(verifyBlob(await store.open(blob.key), blob)), hash);
  return hash.digest('hex');
}

async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const pause of RETRY_PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (isLost(error) || isLocalError(error)) throw error;
      await sleep(pause);
    }
  }
  return work();
}

/** Returns whether the store does not have the bytes of a blob. A damaged blob must not make the backup unusable. */
function isLost(error: unknown): boolean {
  return error instanceof BlobMissingError || error instanceof DamagedBlobError;
}

/** Returns whether the directory of the backup cannot be written, for which a repetition does not help. */
function isLocalError(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM'].includes((error as { code?: string }).code ?? '');
}
