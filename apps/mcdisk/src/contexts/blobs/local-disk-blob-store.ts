import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { BlobBrokenOffError, BlobMissingError, BlobStore, BlobTooLargeError, HEAD_BYTES } from './blob-store.js';
import type { ByteRange, StagedBlob } from './blob-store.js';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/**
 * Blobs as files: `staging/<key>` while they arrive, `live/<two digits>/<key>` afterwards. Both lie below one root
 * and so on one file system, where a rename is atomic.
 */
export class LocalDiskBlobStore extends BlobStore {
  private readonly root: string;
  private prepared: Promise<void> | undefined;

  /** @param root folder of the store; made when it is missing */
  constructor(root: string) {
    super();
    this.root = resolve(root);
  }

  async stage(key: string, source: Readable, maxBytes: number): Promise<StagedBlob> {
    const path = this.stagedPath(key);
    await this.prepare();
    const file = await open(path, 'wx', PRIVATE_FILE);
    try {
      const staged = await writeAll(file, source, maxBytes);
      await file.sync();
      return staged;
    } finally {
      await file.close();
    }
  }

  async promote(key: string): Promise<void> {
    const staged = this.stagedPath(key);
    const live = this.livePath(key);
    await this.prepare();
    await rename(staged, live);
    // The new name is lasting only once its folder is on the disk (fsync(2)).
    await syncFolder(dirname(live));
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    try {
      const file = await open(this.livePath(key), 'r');
      return file.createReadStream(range);
    } catch (cause) {
      throw meansMissing(cause) ? new BlobMissingError('The store does not have this blob', { cause }) : cause;
    }
  }

  async discard(key: string): Promise<void> {
    await rm(this.stagedPath(key), { force: true });
    await rm(this.livePath(key), { force: true });
  }

  /**
   * Makes every folder once and waits until all are on the disk, so that no blob is acknowledged in a folder that a
   * power cut could still take away.
   */
  private prepare(): Promise<void> {
    this.prepared ??= makeFolders(this.root).catch((error: unknown) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  private stagedPath(key: string): string {
    return join(this.root, 'staging', fileName(key));
  }

  private livePath(key: string): string {
    const name = fileName(key);
    return join(this.root, 'live', name.slice(0, 2), name);
  }
}

async function makeFolders(root: string): Promise<void> {
  const firstMade = await mkdir(root, { recursive: true, mode: PRIVATE_FOLDER });
  const live = join(root, 'live');
  const shards = Array.from({ length: 256 }, (_, index) => join(live, index.toString(16).padStart(2, '0')));
  for (const folder of [join(root, 'staging'), live, ...shards]) {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  }
  await syncFolder(live);
  for (let folder = root; ; folder = dirname(folder)) {
    await syncFolder(folder);
    // A new folder's name is in its parent; above the first new one nothing has changed.
    if (firstMade === undefined || folder === dirname(firstMade)) return;
  }
}

/** Keys are made by the service; one that is not a UUID is a fault of the program and must not become a path. */
function fileName(key: string): string {
  if (!isUuid(key)) throw new TypeError('A blob key is a UUID');
  return key;
}

async function writeAll(file: FileHandle, source: Readable, maxBytes: number): Promise<StagedBlob> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(source)) {
    if (size + chunk.length > maxBytes) throw new BlobTooLargeError('More bytes came than were announced');
    if (size < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES - size));
    hash.update(chunk);
    await writeChunk(file, chunk);
    size += chunk.length;
  }
  return { size, digest: hash.digest('hex'), head: Buffer.concat(head) };
}

/** Reads without destroying the source when the reader stops early, and names its failures apart from the disk's. */
async function* chunksOf(source: Readable): AsyncGenerator<Buffer> {
  const chunks = source.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = (await nextOf(chunks)) as IteratorResult<Buffer | string, undefined>;
      if (next.done) return;
      yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

async function nextOf(chunks: AsyncIterator<unknown>): Promise<IteratorResult<unknown>> {
  try {
    return await chunks.next();
  } catch (cause) {
    throw new BlobBrokenOffError('The bytes broke off', { cause });
  }
}

/** One write may take less than it was given. */
async function writeChunk(file: FileHandle, chunk: Buffer): Promise<void> {
  let written = 0;
  while (written < chunk.length) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written);
    written += bytesWritten;
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows has no handle on a folder that could be synchronised.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function meansMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
