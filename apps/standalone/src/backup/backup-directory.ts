import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { SequenceValue, TableColumns } from '@family-watch/platform/database/table-copy';
import { authenticate, isAuthentic, listKeys, type TrustedKeys } from './authenticity.js';
import {
  assertDigest,
  BackupUnusableError,
  PRIVATE_FILE_MODE,
  readStoredFile,
  syncDirectory,
  verifyStoredFile,
  writeStoredFile,
  type StoredFile,
} from './backup-file.js';

const FORMAT = 1;
const PRIVATE_DIRECTORY_MODE = 0o700;
const UNFINISHED_PREFIX = '.unfinished-';
const BACKUP_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;
const UNFINISHED_SUFFIX = '.unfinished';
const ENCRYPTED_SUFFIX = '.age';
const MANIFEST = 'manifest.json.gz';
/** A code per key that proves who has written the manifest, which has the digests of all other files. Never encrypted. */
const AUTHENTICATION_CODES = 'manifest.mac';
const TABLES = 'tables';
const BLOBS = 'blobs';
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BLOB_LIST = 'blobs.tsv.gz';
/** Names of files in a manifest, which may come from elsewhere: relative to the backup, and inside of it. */
const FILE_NAME = /^(tables\/)?[a-z][\w-]*(\.[a-z][\w-]*)+$/;
const POOL_NAME = /^(plain|[0-9a-f]{16})$/;
/** Pool and key of each blob, never encrypted: a later backup with another key must know which blobs are needed. */
const BLOB_KEYS = 'blob-keys.gz';

/** The rows of a table. */
export interface TableFile extends StoredFile, TableColumns {
  rows: number;
}

/** What a backup contains. */
export interface Manifest {
  format: typeof FORMAT;
  /** Time of the snapshot, Unix milliseconds. */
  snapshotAt: number;
  /** Names of the executed migrations by schema. */
  migrations: Record<string, string[]>;
  tables: TableFile[];
  sequences: SequenceValue[];
  /** Tab-separated lines with key, size and SHA-256 (or \N) of each blob. */
  blobList: StoredFile;
  blobKeys: StoredFile;
  /** Name of the directory with the blobs below `blobs`. */
  blobPool: string;
  /** Keys of listed blobs that the store did not have. */
  missingBlobs: string[];
  /** Id of the blob store that belongs to the database; null if none was used yet. */
  storeId: string | null;
  /** A digest of SECRET_KEY by app, which shows whether a key is the right one. */
  keyFingerprints: Record<string, string>;
  /** The file with SECRET_KEY by app, if the backup contains it. */
  secrets: StoredFile | null;
}

/** A blob that belongs to a backup. */
export interface ListedBlob {
  key: string;
  size: number;
  /** SHA-256 in lower-case hex; null for blobs that were stored before digests were. */
  digest: string | null;
}

/** The blobs whose bytes must be in the store, as lines of a list of blobs. */
export const SELECT_BLOBS = `SELECT blob_key, size, digest FROM mcdisk.blob WHERE state IN ('LIVE', 'CONDEMNED') ORDER BY blob_key`;

/** The bytes of a blob are not those that the database describes. */
export class DamagedBlobError extends BackupUnusableError {
  constructor(key: string) {
    super(`The file ${key} of the family cloud is damaged`);
  }
}

/** Returns the name of the pool with the blobs that are encrypted for this key. */
function poolNameOf(publicKey: string | undefined): string {
  return publicKey === undefined ? 'plain' : createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
}

/** Returns the path of a blob in a pool. Blobs are immutable, so that all backups share them. */
function blobPathOf(root: string, pool: string, key: string): string {
  return join(root, BLOBS, pool, key.slice(0, 2), key);
}

/** Returns the names of the complete backups, oldest first. */
export async function listBackups(root: string): Promise<string[]> {
  return (await readdir(root)).filter((name) => BACKUP_NAME.test(name)).toSorted();
}

/** Returns the time of the snapshot, Unix milliseconds, from the name of a backup. */
export function backupTime(name: string): number {
  return Date.parse(name.replace(/T(\d\d)-(\d\d)-(\d\d)-/, 'T$1:$2:$3.'));
}

function backupNameOf(snapshotAt: number): string {
  return new Date(snapshotAt).toISOString().replaceAll(/[:.]/g, '-');
}

/** Number of blobs that are read or copied at the same time. */
const BLOB_CONCURRENCY = 4;

/** Calls `work` for each blob, for a few at a time. After a failure, begins no other and rejects. */
export async function forEachBlob(
  blobs: Iterable<ListedBlob>,
  work: (blob: ListedBlob) => Promise<void>,
): Promise<void> {
  const queue = blobs[Symbol.iterator]();
  let failure: { error: unknown } | undefined;
  const runNext = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !failure; next = queue.next())
      await work(next.value).catch((error: unknown) => (failure ??= { error }));
  };
  await Promise.all(Array.from({ length: BLOB_CONCURRENCY }, runNext));
  if (failure) throw failure.error;
}

/** Returns the lines of a list of blobs. */
export function formatBlobList(blobs: readonly ListedBlob[]): string {
  return blobs.map(({ key, size, digest }) => `${key}\t${size}\t${digest ?? '\\N'}\n`).join('');
}

/** Reads the lines of a list of blobs. */
export function parseBlobList(lines: string): ListedBlob[] {
  return lines.split('\n').flatMap((line) => {
    if (line === '') return [];
    const [key = '', size, digest = ''] = line.split('\t');
    if (!UUID.test(key)) throw new BackupUnusableError('The list of blobs contains a line without a key');
    return { key, size: Number(size), digest: digest === '\\N' ? null : digest };
  });
}

/**
 * A backup that is being written, under a name that is not that of a backup. `complete` renames it, so that an
 * interrupted backup is never taken for one.
 */
export class BackupWriter {
  private readonly poolDirectories = new Set<string>();

  private constructor(
    private readonly root: string,
    private readonly name: string,
    private readonly publicKey: string | undefined,
    private readonly authenticationKeys: readonly Buffer[],
  ) {}

  /**
   * Removes what interrupted backups have left. The caller must have locked the directory `root`.
   *
   * @throws BackupUnusableError if a backup is not older, because the rotation would delete this one before it
   */
  static async create(
    root: string,
    snapshotAt: number,
    publicKey: string | undefined,
    authenticationKeys: readonly Buffer[] = [],
  ): Promise<BackupWriter> {
    for (const entry of await readdir(root))
      if (entry.startsWith(UNFINISHED_PREFIX)) await rm(join(root, entry), { recursive: true });
    const name = backupNameOf(snapshotAt);
    const newest = (await listBackups(root)).at(-1);
    if (newest !== undefined && newest >= name)
      throw new BackupUnusableError(
        `The backup ${newest} is from the future. Check the clock of this machine, or move that backup away.`,
      );
    const writer = new BackupWriter(root, name, publicKey, authenticationKeys);
    await mkdir(join(writer.directory, TABLES), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    return writer;
  }

  async writeTable(table: TableColumns, rows: Readable & { rowCount: number }): Promise<TableFile> {
    const file = await this.write(`${TABLES}/${table.schema}.${table.table}.copy.gz`, rows);
    return { ...table, ...file, rows: rows.rowCount };
  }

  async writeBlobList(list: string): Promise<Pick<Manifest, 'blobList' | 'blobKeys'>> {
    const pool = poolNameOf(this.publicKey);
    const paths = parseBlobList(list).map(({ key }) => `${pool}/${key}`);
    const options = { publicKey: undefined, compress: true };
    const stored = await writeStoredFile(join(this.directory, BLOB_KEYS), Readable.from([paths.join('\n')]), options);
    return { blobList: await this.write(BLOB_LIST, Readable.from([list])), blobKeys: { name: BLOB_KEYS, ...stored } };
  }

  async writeSecrets(secrets: Manifest['keyFingerprints']): Promise<StoredFile> {
    return this.write('secrets.json.gz', Readable.from([JSON.stringify(secrets)]));
  }

  /** Stores a blob in the pool unless an earlier backup has stored it. Returns false in that case. */
  async addBlob(key: string, open: () => Promise<Readable>): Promise<boolean> {
    const path = blobPathOf(this.root, poolNameOf(this.publicKey), key);
    const directory = dirname(path);
    if (!this.poolDirectories.has(directory)) await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    // A backup that was killed may have stored a blob without making its name durable.
    this.poolDirectories.add(directory);
    if (existsSync(path)) return false;
    const source = await open();
    await rm(path + UNFINISHED_SUFFIX, { force: true });
    await writeStoredFile(path + UNFINISHED_SUFFIX, source, { publicKey: this.publicKey, compress: false });
    await rename(path + UNFINISHED_SUFFIX, path);
    return true;
  }

  /** Makes the backup durable and gives it its name. Returns its path. */
  async complete(manifest: Omit<Manifest, 'format' | 'blobPool'>): Promise<string> {
    const whole: Manifest = { format: FORMAT, blobPool: poolNameOf(this.publicKey), ...manifest };
    const { sha256 } = await this.write(MANIFEST, Readable.from([sealManifest(whole)]));
    if (this.authenticationKeys.length > 0) {
      const codes = authenticate(this.authenticationKeys, authenticatedText(this.name, sha256));
      const path = join(this.directory, AUTHENTICATION_CODES);
      await writeFile(path, `${codes.join('\n')}\n`, { mode: PRIVATE_FILE_MODE, flag: 'wx', flush: true });
    }
    const poolRoots = [...new Set([...this.poolDirectories].map(dirname))];
    const directories = [...this.poolDirectories, ...poolRoots, ...poolRoots.map(dirname)];
    for (const path of [...directories, join(this.directory, TABLES), this.directory]) await syncDirectory(path);
    const path = join(this.root, this.name);
    await rename(this.directory, path);
    await syncDirectory(this.root);
    return path;
  }

  /** Removes the unfinished backup. Blobs in the pool remain for the next one. */
  async abandon(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  private get directory(): string {
    return join(this.root, UNFINISHED_PREFIX + this.name);
  }

  private async write(name: string, source: Readable): Promise<StoredFile> {
    const { publicKey } = this;
    const storedName = publicKey === undefined ? name : `${name}${ENCRYPTED_SUFFIX}`;
    const path = join(this.directory, storedName);
    return { name: storedName, ...(await writeStoredFile(path, source, { publicKey, compress: true })) };
  }
}

/**
 * Deletes all but the newest `keep` backups, and the blobs that no remaining backup contains.
 *
 * @returns the names of the deleted backups
 * @throws BackupUnusableError if the keys of a remaining backup cannot be read; no blob is deleted then
 */
export async function rotate(root: string, keep: number): Promise<string[]> {
  const names = await listBackups(root);
  const expired = names.slice(0, Math.max(0, names.length - keep));
  for (const name of expired) {
    // The new name is not that of a backup, so that an interrupted deletion leaves no incomplete backup.
    await rename(join(root, name), join(root, UNFINISHED_PREFIX + name));
    await rm(join(root, UNFINISHED_PREFIX + name), { recursive: true });
  }
  const needed = new Set<string>();
  for (const name of names.slice(expired.length)) {
    const path = join(root, name, BLOB_KEYS);
    const blobs = await readStoredFile(path, { privateKey: undefined, compressed: true }, text);
    for (const blob of blobs.split('\n')) needed.add(blob);
  }
  for (const { blob, path } of await listPoolFiles(root)) if (!needed.has(blob)) await rm(path);
  return expired;
}

async function listPoolFiles(root: string): Promise<{ blob: string; path: string }[]> {
  if (!existsSync(join(root, BLOBS))) return [];
  const entries = await readdir(join(root, BLOBS), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({
      blob: `${basename(dirname(parentPath))}/${name}`,
      path: join(parentPath, name),
    }));
}

/** Returns whether a backup in the directory has a code that proves who has written it. */
export async function containsAuthenticated(root: string): Promise<boolean> {
  return (await listBackups(root)).some((name) => existsSync(join(root, name, AUTHENTICATION_CODES)));
}

/** The name is authenticated too: an old backup under a new name would be taken for the newest. */
function authenticatedText(name: string, manifestSha256: string): string {
  return `${name}\n${manifestSha256}`;
}

/** A complete backup, whose manifest has been read. */
export class BackupReader {
  /** Keys of which one has authenticated this backup; empty unless {@link authenticate} has succeeded. */
  trustedKeys: readonly Buffer[] = [];

  private constructor(
    readonly root: string,
    readonly directory: string,
    readonly manifest: Manifest,
    private readonly privateKey: string | undefined,
    private readonly manifestSha256: string,
  ) {}

  /**
   * @param path a backup, or a directory with backups, of which the newest is opened
   * @param privateKey for an encrypted backup
   * @throws BackupUnusableError
   */
  static async open(path: string, privateKey: string | undefined): Promise<BackupReader> {
    const directory = await resolveBackup(resolve(path));
    const isEncrypted = existsSync(join(directory, MANIFEST + ENCRYPTED_SUFFIX));
    if (!isEncrypted && !existsSync(join(directory, MANIFEST)))
      throw new BackupUnusableError(`${directory} is no backup: it has no ${MANIFEST}`);
    if (isEncrypted && privateKey === undefined)
      throw new BackupUnusableError(
        `${directory} is encrypted. BACKUP_KEY_FILE must name the file with the private key.`,
      );
    const key = isEncrypted ? privateKey : undefined;
    const name = isEncrypted ? MANIFEST + ENCRYPTED_SUFFIX : MANIFEST;
    const hash = createHash('sha256');
    const sealed = await readStoredFile(join(directory, name), { privateKey: key, compressed: true, hash }, text);
    return new BackupReader(dirname(directory), directory, openManifest(sealed, directory), key, hash.digest('hex'));
  }

  /**
   * Checks that the holder of a key has written the manifest, and by its digests everything else.
   *
   * @returns why nothing is proven, undefined otherwise
   */
  async authenticate(keys: TrustedKeys): Promise<string | undefined> {
    if (keys.backupKey && this.privateKey === undefined) return 'it is not encrypted, although BACKUP_KEY_FILE is set';
    const path = join(this.directory, AUTHENTICATION_CODES);
    if (!existsSync(path)) return 'it has no proof of its origin, as the backups of earlier builds';
    const codes = (await readFile(path, 'utf8')).split('\n');
    const known = listKeys(keys);
    if (!isAuthentic(known, authenticatedText(basename(this.directory), this.manifestSha256), codes)) {
      const names = [keys.backupKey && 'BACKUP_KEY_FILE', keys.secretKey && 'SECRET_KEY'].filter(Boolean).join(' or ');
      return `it was not written with the key of ${names}, or it was changed`;
    }
    this.trustedKeys = known;
    return undefined;
  }

  /** Reads the whole backup. @throws BackupUnusableError for the first file that is missing or damaged */
  async verify(): Promise<void> {
    const { tables, blobList, blobKeys, secrets } = this.manifest;
    for (const { name, bytes, sha256 } of [...tables, blobList, blobKeys, ...(secrets ? [secrets] : [])])
      await verifyStoredFile(join(this.directory, name), { bytes, sha256 });
    await forEachBlob(await this.readBlobList(), (blob) =>
      this.readBlob(blob, (content) => finished(Readable.from(verifyBlob(content, blob)).resume())),
    );
  }

  readTable<Result>(file: TableFile, consume: (rows: Readable) => Promise<Result>): Promise<Result> {
    return this.read(file, consume);
  }

  /** Returns the blobs of the backup, by default without those that the store did not have. */
  async readBlobList({ includeMissing = false } = {}): Promise<ListedBlob[]> {
    const missing = new Set(includeMissing ? [] : this.manifest.missingBlobs);
    return parseBlobList(await this.read(this.manifest.blobList, text)).filter(({ key }) => !missing.has(key));
  }

  readBlob<Result>({ key }: ListedBlob, consume: (content: Readable) => Promise<Result>): Promise<Result> {
    const path = blobPathOf(this.root, this.manifest.blobPool, key);
    return readStoredFile(path, { privateKey: this.privateKey, compressed: false }, consume);
  }

  /** Returns SECRET_KEY by app, or undefined if the backup does not contain it. */
  async readSecrets(): Promise<Record<string, string> | undefined> {
    const { secrets } = this.manifest;
    return secrets ? (JSON.parse(await this.read(secrets, text)) as Record<string, string>) : undefined;
  }

  /** Checks the file also while it is read, because it may have been replaced since {@link verify}. */
  private async read<Result>(
    { name, sha256 }: StoredFile,
    consume: (content: Readable) => Promise<Result>,
  ): Promise<Result> {
    const path = join(this.directory, name);
    const hash = createHash('sha256');
    const result = await readStoredFile(path, { privateKey: this.privateKey, compressed: true, hash }, consume);
    assertDigest(path, hash, sha256);
    return result;
  }
}

async function resolveBackup(path: string): Promise<string> {
  if (BACKUP_NAME.test(basename(path))) return path;
  const newest = existsSync(path) ? (await listBackups(path)).at(-1) : undefined;
  if (newest === undefined) throw new BackupUnusableError(`${path} contains no backup`);
  return join(path, newest);
}

/** Passes the bytes of a blob on. @throws DamagedBlobError at the end unless the blob has its size and digest */
export async function* verifyBlob(content: Readable, { key, size, digest }: ListedBlob): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    yield chunk;
  }
  if (bytes !== size || (digest !== null && hash.digest('hex') !== digest)) throw new DamagedBlobError(key);
}

/** Adds a digest, by which damage is found without a key. */
function sealManifest(manifest: Manifest): string {
  const content = JSON.stringify(manifest);
  return JSON.stringify({ sha256: createHash('sha256').update(content).digest('hex'), content });
}

function openManifest(sealed: string, directory: string): Manifest {
  let parsed: { sha256?: unknown; content?: unknown };
  try {
    parsed = JSON.parse(sealed) as typeof parsed;
  } catch (cause) {
    throw new BackupUnusableError(`The manifest of ${directory} is damaged`, { cause });
  }
  const { sha256, content } = parsed;
  if (typeof content !== 'string' || createHash('sha256').update(content).digest('hex') !== sha256)
    throw new BackupUnusableError(`The manifest of ${directory} is damaged, or belongs to another program`);
  const manifest = JSON.parse(content) as Manifest;
  if (manifest.format !== FORMAT)
    throw new BackupUnusableError(`${directory} has a format that this build does not know; use a newer build`);
  const files = [
    ...manifest.tables,
    manifest.blobList,
    manifest.blobKeys,
    ...(manifest.secrets ? [manifest.secrets] : []),
  ];
  const isInside = files.every(({ name }) => FILE_NAME.test(name)) && POOL_NAME.test(manifest.blobPool);
  if (!isInside) throw new BackupUnusableError(`The manifest of ${directory} names files outside of the backup`);
  return manifest;
}
