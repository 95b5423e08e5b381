import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createGunzip, createGzip } from 'node:zlib';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { UsageError } from '@family-watch/platform/app/operator/command-line';

/** The backup is damaged, was not encrypted for this key, or is no backup of this service. The message says which. */
export class BackupUnusableError extends UsageError {}

/** A file as it is stored: compressed, and encrypted if the backup is. */
export interface StoredFile {
  /** Path relative to the backup. */
  name: string;
  bytes: number;
  /** SHA-256, lower-case hex. */
  sha256: string;
}

export const PRIVATE_FILE_MODE = 0o600;
const COMPRESSION_LEVEL = 5;

/** Creates a key pair for encrypted backups: the private key in a file of its owner, the public key as result. */
export async function createBackupKey(file: string): Promise<string> {
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  await writeFile(file, `# public key: ${recipient}\n${identity}\n`, { mode: PRIVATE_FILE_MODE, flag: 'wx' });
  return recipient;
}

/** @throws UsageError if the file contains no private key */
export async function readBackupKey(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`BACKUP_KEY_FILE cannot be read: ${(error as Error).message}`);
  });
  const identity = /^AGE-SECRET-KEY-1[0-9A-Z]+$/m.exec(text)?.[0];
  if (identity === undefined) throw new UsageError(`${file} contains no line that begins with AGE-SECRET-KEY-1`);
  return identity;
}

/** Encrypts a stream for the owner of a private key, or returns it unchanged without a public key (format age v1). */
async function* encrypt(source: AsyncIterable<Buffer>, publicKey: string | undefined): AsyncGenerator<Uint8Array> {
  if (publicKey === undefined) {
    yield* source;
    return;
  }
  const encrypter = new Encrypter();
  encrypter.addRecipient(publicKey);
  const plain = Readable.toWeb(Readable.from(source)) as globalThis.ReadableStream<Uint8Array>;
  yield* Readable.fromWeb((await encrypter.encrypt(plain)) as ReadableStream<Uint8Array>);
}

async function* decrypt(source: AsyncIterable<Buffer>, privateKey: string | undefined): AsyncGenerator<Uint8Array> {
  if (privateKey === undefined) {
    yield* source;
    return;
  }
  const decrypter = new Decrypter();
  decrypter.addIdentity(privateKey);
  const sealed = Readable.toWeb(Readable.from(source)) as globalThis.ReadableStream<Uint8Array>;
  yield* Readable.fromWeb((await decrypter.decrypt(sealed)) as ReadableStream<Uint8Array>);
}

async function* observe<Chunk extends Uint8Array>(source: AsyncIterable<Chunk>, hash: Hash): AsyncGenerator<Chunk> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

export interface WriteOptions {
  publicKey: string | undefined;
  /** Whether the content is compressed; files of families rarely shrink. */
  compress: boolean;
}

/**
 * Writes a new file, whose bytes are durable when the promise resolves.
 *
 * @returns size and digest of the stored bytes
 */
export async function writeStoredFile(
  path: string,
  source: Readable,
  { publicKey, compress }: WriteOptions,
): Promise<Omit<StoredFile, 'name'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    source,
    compress ? createGzip({ level: COMPRESSION_LEVEL }) : new PassThrough(),
    (content: AsyncIterable<Buffer>) => encrypt(content, publicKey),
    async function* (stored: AsyncIterable<Uint8Array>) {
      for await (const chunk of stored) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(path, { flags: 'wx', mode: PRIVATE_FILE_MODE, flush: true }),
  );
  return { bytes, sha256: hash.digest('hex') };
}

export interface ReadOptions {
  privateKey: string | undefined;
  compressed: boolean;
  /** Is given the stored bytes. */
  hash?: Hash;
}

/** Passes the content of a stored file to `consume`. An error of the file is reported as damage of the backup. */
export async function readStoredFile<Result>(
  path: string,
  { privateKey, compressed, hash }: ReadOptions,
  consume: (content: Readable) => Promise<Result>,
): Promise<Result> {
  const content = new PassThrough();
  const reading = pipeline(
    createReadStream(path),
    (stored: AsyncIterable<Buffer>) => decrypt(hash ? observe(stored, hash) : stored, privateKey),
    compressed ? createGunzip() : new PassThrough(),
    content,
  );
  let isConsumersError = false;
  const consuming = consume(content).catch((error: unknown) => {
    // A failure of reading reaches the consumer through the stream.
    isConsumersError = content.errored === null;
    // The consumer may have left bytes in the stream, for which reading would wait.
    content.destroy();
    throw error;
  });
  const [consumed, read] = await Promise.allSettled([consuming, reading]);
  if (consumed.status === 'rejected' && isConsumersError) throw consumed.reason;
  if (read.status === 'rejected') throw unusable(path, read.reason);
  if (consumed.status === 'rejected') throw consumed.reason;
  return consumed.value;
}

function unusable(path: string, cause: unknown): BackupUnusableError {
  return new BackupUnusableError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
}

/** @throws BackupUnusableError unless the file has this size and digest */
export async function verifyStoredFile(path: string, { bytes, sha256 }: Omit<StoredFile, 'name'>): Promise<void> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw unusable(path, error);
  });
  if (size !== bytes) throw new BackupUnusableError(`${path} is damaged: it has ${size} bytes instead of ${bytes}`);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  assertDigest(path, hash, sha256);
}

/** @throws BackupUnusableError unless the file that was given to the hash has this digest */
export function assertDigest(path: string, hash: Hash, sha256: string): void {
  if (hash.digest('hex') !== sha256) throw new BackupUnusableError(`${path} is damaged: its digest is wrong`);
}

/** Makes the names in a directory durable. Windows does not support this and needs no such call. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
