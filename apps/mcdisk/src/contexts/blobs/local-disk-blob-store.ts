import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isUuid } from '@family-watch/domain/family-cloud/contracts/uuid';
import { BlobBrokenOffError, BlobMissingError, BlobStore, BlobTooLargeError, HEAD_BYTES } from './blob-store.js';
import type { ByteRange, StagedBlob } from './blob-store.js';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/**
 * Blobs as files: `staging/<key>` while they arrive, `live/<two digits>/<key>` afterwards. Both lie below one root
 * and so on one file system, where a rename is atomic.
 */
export class LocalDiskBlobStore extends BlobStore {
  /** @param root folder of the store; made when it is missing */
  constructor(private readonly root: string) {
    super();
  }

  async stage(key: string, source: Readable, maxBytes: number): Promise<StagedBlob> {
    const path = this.stagedPath(key);
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
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
    const firstMade = await mkdir(dirname(live), { recursive: true, mode: PRIVATE_FOLDER });
    await rename(staged, live);
    // The name is part of the file only once its folder is on the disk, and so is a new folder's in its parent.
    await syncFolder(dirname(live));
    if (firstMade !== undefined) {
      await syncFolder(dirname(dirname(live)));
      await syncFolder(this.root);
    }
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

  private stagedPath(key: string): string {
    return join(this.root, 'staging', fileName(key));
  }

  private livePath(key: string): string {
    const name = fileName(key);
    return join(this.root, 'live', name.slice(0, 2), name);
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
      const { done, value } = (await nextOf(chunks)) as IteratorResult<Buffer | string>;
      if (done) return;
      yield typeof value === 'string' ? Buffer.from(value) : value;
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
