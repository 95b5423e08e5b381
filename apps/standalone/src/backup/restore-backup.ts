import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { renamedHandlersSql } from '@family-watch/event-bus/event-bus-schema';
import { deleteEventStream } from '@family-watch/event-bus/jetstream-event-stream';
import { connectNats } from '@family-watch/event-bus/nats-connection';
import type { ListedDeletion } from '@family-watch/domain/privacy/contracts/account-deletion';
import { createBlobStore } from '@family-watch/mcdisk/storage/blobs/blob-store-provider';
import type { BlobStore } from '@family-watch/mcdisk/storage/blobs/blob-store';
import { Fsck } from '@family-watch/mcdisk/storage/fsck/fsck';
import {
  isNewestBackupKey,
  readNewestBackupTime,
  readStoreIdentity,
} from '@family-watch/mcdisk/storage/garbage-collection/store-identity.service';
import { StoreIdentityRepository } from '@family-watch/mcdisk/storage/garbage-collection/store-identity.repository';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { McdiskUnitOfWork } from '@family-watch/mcdisk/infrastructure/mcdisk-infrastructure';
import type { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase, type DatabaseDeclaration } from '@family-watch/platform/database/app-database';
import { canAdopt } from '@family-watch/platform/database/baseline-adoption';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import {
  beginSchemaRestore,
  completeSchemaRestore,
  inTransaction,
  isRestoreUnfinished,
  isSchemaEmpty,
  runRestoreSteps,
  type RestoreContext,
} from '@family-watch/platform/database/schema-restore';
import {
  analyzeTables,
  copyQueryTo,
  copyTableFrom,
  digestTable,
  listSequences,
  listTables,
  openCopyConnection,
  refillTables,
  restoreSequence,
  RowDigest,
  type CopyConnection,
} from '@family-watch/platform/database/table-copy';
import { UsageError } from '@family-watch/platform/app/operator/command-line';
import { maintainLocationPartitions } from '@family-watch/userctx/database/location-partitions';
import {
  forEachBlob,
  parseBlobList,
  SELECT_BLOBS,
  verifyBlob,
  type BackupReader,
  type ListedBlob,
  type Manifest,
  type TableFile,
} from './backup-directory.js';
import { BackupUnusableError } from './backup-file.js';
import { readDeletionList } from './deletion-list.js';
import { fingerprintOf, type AppAccess } from './deployment.js';

export interface RestoreRequest {
  backup: BackupReader;
  apps: readonly AppAccess[];
  /** Settings of the blob store and the event bus. */
  environment: Environment;
  secrets: 'keep' | 'renew';
  /** Whether a backup is restored although the blob store knows a newer one. */
  acceptsOlder?: boolean;
  /** Called before the database can be used, when nothing else can fail. */
  beforeCompletion?: () => void;
}

/** An app with the connection of its owner. */
interface Target extends AppAccess {
  connection: CopyConnection;
}

/**
 * Restores a verified backup into empty schemas and a blob store that is empty or belongs to the backup. The schemas
 * cannot be used until everything is restored; the next restore replaces what an interrupted one has left.
 *
 * @returns lines that report what was restored and what was dropped
 * @throws UsageError before anything is written if the target is not empty or SECRET_KEY is not the one of the backup
 */
export async function restoreBackup(request: RestoreRequest): Promise<string[]> {
  const { backup, apps, environment, secrets, acceptsOlder, beforeCompletion } = request;
  const { manifest } = backup;
  assertKnown(manifest, apps);
  const store = await createBlobStore(environment);
  const blobs = await backup.readBlobList();
  const deletions = await readDeletions(backup);
  const isStoreKept = await assertStoreUsable(store, manifest, blobs);
  if (!acceptsOlder) await assertNewest(store, manifest);
  assertKeys(manifest, apps, secrets);
  const report = [`${countRows(manifest)} rows and ${blobs.length} files restored`];
  await withTargets(apps, async (targets) => {
    await assertEmpty(targets);
    for (const target of targets) await prepareSchema(target, manifest);
    for (const target of targets) await fillSchema(target, backup, { isCompared: false });
    await restoreBlobs(backup, store, blobs);
    report.push(...(await correctSchemas(targets, manifest, { secrets, deletions })));
    await settleStore(apps, store, isStoreKept);
    if (environment.NATS_URL !== undefined) await deleteStream(environment, environment.NATS_URL);
    beforeCompletion?.();
    for (const { connection, declaration } of targets) await completeSchemaRestore(connection, declaration.schema);
  });
  return report;
}

/**
 * Restores the rows of a verified backup into empty schemas, to show that they can be restored, and compares the tables
 * with the backup. The files of the family cloud are not copied.
 *
 * @returns the number of rows
 * @throws BackupUnusableError if the restored tables differ from the backup
 */
export async function rehearseRestore(backup: BackupReader, apps: readonly AppAccess[]): Promise<number> {
  const { manifest } = backup;
  assertKnown(manifest, apps);
  const deletions = await readDeletions(backup);
  await withTargets(apps, async (targets) => {
    for (const target of targets) await prepareSchema(target, manifest);
    for (const target of targets) await fillSchema(target, backup, { isCompared: true });
    for (const { connection, declaration } of targets)
      if (declaration === mcdiskDatabase) await assertBlobsListed(connection, backup);
    await correctSchemas(targets, manifest, { secrets: 'keep', deletions });
  });
  return countRows(manifest);
}

/** Returns the deletions that the newest backup in the directory has seen, of the same origin as this backup. */
function readDeletions({ root, trustedKeys, manifest }: BackupReader): Promise<ListedDeletion[]> {
  return readDeletionList(root, trustedKeys, { since: manifest.snapshotAt });
}

/** @throws BackupUnusableError unless the files of the backup are those that its rows name */
async function assertBlobsListed(connection: CopyConnection, backup: BackupReader): Promise<void> {
  const listed = new Map((await backup.readBlobList({ includeMissing: true })).map((blob) => [blob.key, blob]));
  const needed = parseBlobList(await text(copyQueryTo(connection, SELECT_BLOBS)));
  const isListed = ({ key, size, digest }: ListedBlob): boolean => {
    const blob = listed.get(key);
    return blob?.size === size && (digest === null || blob.digest === digest);
  };
  if (listed.size !== needed.length || !needed.every(isListed))
    throw new BackupUnusableError('The files of the backup are not those that its rows name');
}

/** Runs `work` with a connection to the schema of each app. */
async function withTargets(
  apps: readonly AppAccess[],
  work: (targets: readonly Target[]) => Promise<void>,
): Promise<void> {
  const targets: Target[] = [];
  try {
    for (const app of apps)
      targets.push({ ...app, connection: await openCopyConnection(app.owner, 'family-watch:restore') });
    await work(targets);
  } finally {
    for (const { connection } of targets) await connection.end();
  }
}

/** @throws UsageError if a newer build has written the backup, or one before the last build before 1.0.0 */
function assertKnown({ migrations, tables }: Manifest, apps: readonly AppAccess[]): void {
  for (const { declaration } of apps) {
    const { schema, migrations: known, adoption } = declaration;
    const executed = migrations[schema] ?? [];
    if (canAdopt(executed, adoption)) continue;
    const unknown = executed.find((name) => !known.some((migration) => migration.name === name));
    if (unknown === undefined) continue;
    if (adoption && !executed.includes(known[0]?.name ?? ''))
      throw new UsageError(
        `An older build has written this backup (migration ${executed.at(-1)} of ${schema}). Restore it with the last ` +
          `build before 1.0.0, whose last migration is ${adoption.lastMigration}, and then start this build.`,
      );
    throw new UsageError(`A newer build has written this backup (migration ${unknown}). Restore it with that build.`);
  }
  const schemas = new Set(apps.map(({ declaration }) => declaration.schema));
  for (const { schema } of tables)
    if (!schemas.has(schema)) throw new BackupUnusableError(`The backup contains the unknown schema ${schema}`);
}

/**
 * @returns whether the store has the identity of the backup, so that its blobs may stay. Otherwise it contains at most
 * blobs of an interrupted restore.
 * @throws UsageError if the store contains blobs of another service
 */
async function assertStoreUsable(
  store: BlobStore,
  { storeId }: Manifest,
  blobs: readonly ListedBlob[],
): Promise<boolean> {
  const identity = await readStoreIdentity(store);
  if (identity && identity.storeId === storeId) return true;
  const keys = new Set(blobs.map(({ key }) => key));
  for await (const { key } of store.list())
    if (!keys.has(key) && !isNewestBackupKey(key))
      throw new UsageError('The blob store contains files that do not belong to this backup');
  return false;
}

/** @throws UsageError if the store knows a newer backup of its database */
async function assertNewest(store: BlobStore, { snapshotAt }: Manifest): Promise<void> {
  const newest = await readNewestBackupTime(store);
  if (newest === undefined || newest <= snapshotAt) return;
  const [older, newer] = [snapshotAt, newest].map((time) => new Date(time).toISOString());
  throw new UsageError(
    `The backup is of ${older}, but the blob store knows one of ${newer}. ` +
      'Restore that one, or the older one with --accept-unauthenticated.',
  );
}

/** @throws UsageError if the keys with which the apps will run do not match what the option demands */
function assertKeys({ keyFingerprints }: Manifest, apps: readonly AppAccess[], secrets: 'keep' | 'renew'): void {
  for (const { declaration, secretKey } of apps) {
    const expected = keyFingerprints[declaration.name];
    // Only userctx cannot replace what SECRET_KEY protects by itself.
    if (expected === undefined || declaration.name !== 'userctx') continue;
    const isSame = secretKey !== undefined && fingerprintOf(secretKey) === expected;
    if (secrets === 'keep' && !isSame)
      throw new UsageError(
        'SECRET_KEY is not the one of the backup. Set it, use a backup that contains it, or renew all secrets with --secrets renew.',
      );
    if (secrets === 'renew' && isSame) throw new UsageError('SECRET_KEY is still the one of the backup; set a new one');
  }
}

/**
 * Schemas are begun and completed in the order of the targets. So if a restore is unfinished, schemas before the first
 * unfinished one are complete and belong to it, but one behind it without the mark belongs to somebody else.
 *
 * @throws UsageError if a schema contains tables, unless they are those of an unfinished restore
 */
async function assertEmpty(targets: readonly Target[]): Promise<void> {
  const foreign: string[] = [];
  let isUnfinished = false;
  for (const { connection, declaration } of targets.toReversed()) {
    const { schema } = declaration;
    if (await isRestoreUnfinished(connection, schema)) isUnfinished = true;
    else if (!isUnfinished && !(await isSchemaEmpty(connection, schema))) foreign.push(schema);
  }
  if (foreign.length > 0)
    throw new UsageError(
      `The database already contains the schema ${foreign.toReversed().join(', ')}. A backup is restored into an empty database only.`,
    );
}

/** Returns whether the rows of the schema are those of the last build before 1.0.0. */
function hasEarlierRows({ schema, adoption }: DatabaseDeclaration, { migrations }: Manifest): boolean {
  return canAdopt(migrations[schema] ?? [], adoption);
}

/** Creates the schema at the level of the backup, marked as unusable. */
async function prepareSchema({ connection, declaration, url, owner }: Target, manifest: Manifest): Promise<void> {
  const { schema } = declaration;
  await beginSchemaRestore(connection, schema);
  const executed = new Set(manifest.migrations[schema]);
  // The baseline creates the tables of the last build before 1.0.0.
  const migrations = hasEarlierRows(declaration, manifest)
    ? declaration.migrations.slice(0, 1)
    : declaration.migrations.filter((migration) => executed.has(migration.name));
  await migrateAppDatabase({ ...declaration, migrations, url, migrationUrl: owner.url, isRestore: true });
  // The points of each day belong into the partition of the day.
  if (schema === 'userctx') await maintainLocationPartitions(owner, { now: Date.now() });
}

/**
 * Fills the tables of a schema, and migrates it to the level of this build.
 *
 * @param options.isCompared - whether the filled tables are read again and compared with the backup
 */
async function fillSchema(
  { connection, declaration, url, owner }: Target,
  backup: BackupReader,
  { isCompared }: { isCompared: boolean },
): Promise<void> {
  const { schema } = declaration;
  const files = backup.manifest.tables.filter((file) => file.schema === schema);
  const sequences = backup.manifest.sequences.filter((sequence) => sequence.schema === schema);
  await inTransaction(connection, async () => {
    const tables = await listTables(connection, schema);
    const unknown = files.find((file) => !tables.some(({ table }) => table === file.table));
    if (unknown) throw new BackupUnusableError(`The backup contains the unknown table ${schema}.${unknown.table}`);
    const digests = new Map<TableFile, RowDigest>();
    await refillTables(connection, tables, async () => {
      for (const { table } of tables) {
        const file = files.find((each) => each.table === table);
        if (!file) throw new BackupUnusableError(`The backup does not contain the table ${schema}.${table}`);
        const digest = isCompared ? new RowDigest() : undefined;
        if (digest) digests.set(file, digest);
        const rows = await backup.readTable(file, (source) => copyTableFrom(connection, file, source, digest));
        if (rows !== file.rows)
          throw new BackupUnusableError(`${schema}.${table} has ${rows} instead of ${file.rows} rows`);
      }
    });
    for (const sequence of sequences) await restoreSequence(connection, sequence);
    for (const [file, { value }] of digests)
      if ((await digestTable(connection, file)).value !== value)
        throw new BackupUnusableError(`The restored rows of ${schema}.${file.table} are not those of the backup`);
    if (isCompared && !isDeepStrictEqual(await listSequences(connection, schema), sequences))
      throw new BackupUnusableError(`The restored sequences of ${schema} are not those of the backup`);
    if (declaration.adoption && hasEarlierRows(declaration, backup.manifest))
      for (const statement of renamedHandlersSql(schema, declaration.adoption.renamedHandlers))
        await connection.query(statement);
    await analyzeTables(connection, tables);
  });
  await migrateAppDatabase({ ...declaration, url, migrationUrl: owner.url, isRestore: true });
}

async function correctSchemas(
  targets: readonly Target[],
  { snapshotAt, missingBlobs, keyFingerprints }: Manifest,
  { secrets, deletions }: Pick<RestoreRequest, 'secrets'> & Pick<RestoreContext, 'deletions'>,
): Promise<string[]> {
  const report: string[] = [];
  // One time for all schemas.
  const restoredAt = Date.now();
  for (const { connection, declaration, secretKey } of targets) {
    const fingerprint = keyFingerprints[declaration.name];
    const hasNewKey = fingerprint !== undefined && (!secretKey || fingerprintOf(secretKey) !== fingerprint);
    const renewsSecrets = secrets === 'renew';
    const context = { snapshotAt, restoredAt, renewsSecrets, hasNewKey, missingBlobs, deletions };
    report.push(...(await runRestoreSteps(connection, declaration.restoreSteps(context))));
  }
  return report;
}

/** Copies the blobs that the store does not have yet. */
async function restoreBlobs(backup: BackupReader, store: BlobStore, blobs: readonly ListedBlob[]): Promise<void> {
  const needed = new Map(blobs.map((blob) => [blob.key, blob]));
  for await (const { key, staged, size } of store.list()) {
    const blob = needed.get(key);
    if (!blob) continue;
    if (!staged && size === blob.size) needed.delete(key);
    else await store.discard(key);
  }
  await forEachBlob(needed.values(), (blob) => restoreBlob(backup, store, blob));
}

async function restoreBlob(backup: BackupReader, store: BlobStore, blob: ListedBlob): Promise<void> {
  await backup.readBlob(blob, (content) => store.stage(blob.key, Readable.from(verifyBlob(content, blob)), blob.size));
  await store.promote(blob.key, blob.size);
}

/**
 * Makes database and store belong together: adopts a store that was kept. An empty store gets a new identity at the
 * first garbage collection, so that the restored service and the one that was backed up never own the same store.
 */
async function settleStore(apps: readonly AppAccess[], store: BlobStore, isKept: boolean): Promise<void> {
  const access = apps.find(({ declaration }) => declaration === mcdiskDatabase);
  if (!access) return;
  const database = await openAppDatabase({ ...mcdiskDatabase, url: access.url, limits: { poolSize: 1 } });
  try {
    const unitOfWork = new McdiskUnitOfWork(database.dataSource, database.schema);
    if (isKept) await new Fsck(unitOfWork, store).adoptStore(Date.now());
    else await new StoreIdentityRepository(unitOfWork).forget();
  } finally {
    await database.close();
  }
}

async function deleteStream(environment: Environment, url: string): Promise<void> {
  const connection = await connectNats({ url, name: 'family-watch restore' });
  try {
    await deleteEventStream(connection, environment.NATS_PREFIX);
  } finally {
    await connection.close();
  }
}

function countRows({ tables }: Manifest): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}
