import { randomBytes } from 'node:crypto';
import { closeSync, constants, fdatasync, writev } from 'node:fs';
import { access, copyFile, open, rename, rm, stat, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  BlobMissingError,
  BlobStore,
  StoreFullError,
  StagedBlobInspector,
  type AppendOptions,
  type BlobReader,
  type ByteRange,
  type StagedBlob,
  type StoredBlob,
} from '../blob-store.js';
import { BufferedSourceReader } from '../buffered-source-reader.js';
import {
  errorCodeOf,
  diskErrorToStoreError,
  withStoreErrors,
  FileReader,
  openFile,
  readFully,
  writeBatch,
  DirectorySync,
} from './file-system.js';
import { DiskLayout, listDiskBlobs } from './disk-layout.js';
import { DurableAppend } from './durable-append.js';

const PRIVATE_FILE_MODE = 0o600;
/**
 * Size of the file that {@link LocalDiskBlobStore.verifyWritable} writes. Its bytes are random, so that no file system
 * can compress the file.
 */
const PROBE_BYTES = 256 * 1024;
/** Number of bytes that a stream reads ahead. */
const READ_BUFFER_BYTES = 256 * 1024;

const [writeBuffers, syncData] = [promisify(writev), promisify(fdatasync)];

/** Stores blobs as files; {@link DiskLayout} defines their paths. */
export class LocalDiskBlobStore extends BlobStore {
  private readonly directorySync = new DirectorySync();
  private readonly layout: DiskLayout;

  /** @param root directory of the store; created when missing */
  constructor(root: string) {
    super();
    this.layout = new DiskLayout(root, this.directorySync);
  }

  async stage(key: string, source: Readable, maxBytes: number): Promise<StagedBlob> {
    return this.create(this.layout.stagedPath(key), source, maxBytes);
  }

  /** Nobody knows the key before this method has returned, so that the file needs no other name while it is written. */
  override async put(key: string, source: Readable, maxBytes: number): Promise<StagedBlob> {
    const path = this.layout.promotedPath(key);
    const blob = await this.create(path, source, maxBytes);
    await withStoreErrors(() => this.directorySync.sync(dirname(path)));
    return blob;
  }

  async append(key: string, source: Readable, options: AppendOptions): Promise<number> {
    const path = this.layout.stagedPath(key);
    return withStoreErrors(async () => {
      await this.layout.ensureDirectories();
      const isNew = options.offset === 0;
      const file = await open(path, constants.O_RDWR | (isNew ? constants.O_CREAT : 0), PRIVATE_FILE_MODE);
      try {
        // After an abort another writer may already append to the file, so the file is not truncated.
        if (!options.signal?.aborted) await truncateTo(file, options.offset);
        const syncName = () => this.directorySync.sync(this.layout.stagingDirectory);
        return await new DurableAppend(file, options, isNew ? syncName : undefined).run(source);
      } finally {
        await file.close();
      }
    });
  }

  /** Replaces the file with a copy, so that a writer that still has the old file open writes to an unlinked file. */
  async replaceWriter(key: string, size: number): Promise<void> {
    const [staged, replacement] = [this.layout.stagedPath(key), this.layout.replacementPath(key)];
    await withStoreErrors(async () => {
      await this.layout.ensureDirectories();
      try {
        await copyFile(staged, replacement, constants.COPYFILE_FICLONE);
        await this.finishCopy(replacement, size);
        await rename(replacement, staged);
      } catch (error) {
        await rm(replacement, { force: true });
        // A writer that crashed before its first byte leaves no file.
        if (size === 0 && errorCodeOf(error) === 'ENOENT') return;
        throw error;
      }
      await this.directorySync.sync(this.layout.stagingDirectory);
    });
  }

  async openStaged(key: string): Promise<Readable> {
    return openForReading(this.layout.stagedPath(key));
  }

  async promote(key: string, size?: number): Promise<void> {
    const [staged, promoted] = [this.layout.stagedPath(key), this.layout.promotedPath(key)];
    await withStoreErrors(async () => {
      await this.layout.ensureDirectories();
      try {
        await assertSize(staged, size);
        await rename(staged, promoted);
      } catch (error) {
        if (errorCodeOf(error) !== 'ENOENT') throw error;
        // A missing staged file is not an error when the blob is already promoted.
        await access(promoted);
        await assertSize(promoted, size);
      }
      // The new name is durable only after its directory was synced (fsync(2)).
      await this.directorySync.sync(dirname(promoted));
    });
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    return openForReading(this.layout.promotedPath(key), range);
  }

  async read(key: string, { start, end }: ByteRange): Promise<Buffer> {
    return withStoreErrors(async () => {
      const file = await open(this.layout.promotedPath(key), 'r');
      try {
        const target = Buffer.allocUnsafe(end - start + 1);
        return target.subarray(0, await readFully(file, target, start));
      } finally {
        await file.close();
      }
    });
  }

  override openReader(key: string): Promise<BlobReader> {
    return withStoreErrors(async () => new FileReader(await open(this.layout.promotedPath(key), 'r')));
  }

  relativePathOf(key: string): string {
    return this.layout.promotedRelativePath(key);
  }

  list(): AsyncIterable<StoredBlob> {
    return listDiskBlobs(this.layout);
  }

  async discard(key: string): Promise<void> {
    const { staged, replacement, promoted } = {
      staged: this.layout.stagedPath(key),
      replacement: this.layout.replacementPath(key),
      promoted: this.layout.promotedPath(key),
    };
    await withStoreErrors(() => Promise.all([staged, replacement, promoted].map(unlinkIfExists)));
  }

  override async verifyWritable(): Promise<void> {
    await withStoreErrors(async () => {
      await this.layout.ensureDirectories();
      const path = this.layout.probePath();
      try {
        await writeFile(path, randomBytes(PROBE_BYTES), { mode: PRIVATE_FILE_MODE, flush: true });
      } finally {
        await rm(path, { force: true });
      }
    });
  }

  /** Creates a file whose bytes, but not whose name, are durable when the promise resolves. */
  private async create(path: string, source: Readable, maxBytes: number): Promise<StagedBlob> {
    const reader = new BufferedSourceReader(source, maxBytes);
    let descriptor: number | undefined;
    try {
      await this.layout.ensureDirectories();
      descriptor = await openFile(path, 'wx', PRIVATE_FILE_MODE);
      return await writeNewFile(descriptor, reader);
    } catch (error) {
      const storeError = diskErrorToStoreError(error);
      // A file that does not fit must not occupy space that other uploads need.
      if (storeError instanceof StoreFullError && descriptor !== undefined)
        await rm(path, { force: true }).catch(() => undefined);
      throw storeError;
    } finally {
      reader.release();
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  private async finishCopy(path: string, size: number): Promise<void> {
    const file = await open(path, 'r+');
    try {
      await truncateTo(file, size);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/** Writes a new file. A small blob is a single batch and therefore needs only one write and one sync. */
async function writeNewFile(descriptor: number, reader: BufferedSourceReader): Promise<StagedBlob> {
  const inspector = new StagedBlobInspector();
  const file = {
    writev: (buffers: readonly Buffer[], position: number) => writeBuffers(descriptor, buffers, position),
  };
  let size = 0;
  for (let batch = await reader.read(); batch; batch = await reader.read()) {
    size = await writeBatch(file, batch, size, inspector);
  }
  await syncData(descriptor);
  return inspector.result();
}

/**
 * Truncates a file.
 * @throws BlobMissingError when the file is shorter than `size`, because durable bytes were lost
 */
async function truncateTo(file: FileHandle, size: number): Promise<void> {
  const present = (await file.stat()).size;
  if (present < size) throw new BlobMissingError('The store has lost bytes of this blob');
  if (present > size) await file.truncate(size);
}

/** @throws BlobMissingError when the file does not have exactly `size` bytes */
async function assertSize(path: string, size: number | undefined): Promise<void> {
  if (size !== undefined && (await stat(path)).size !== size)
    throw new BlobMissingError('The stored blob has a different size');
}

async function openForReading(path: string, range?: ByteRange): Promise<Readable> {
  return withStoreErrors(async () => {
    const file = await open(path, 'r');
    return file.createReadStream({ ...range, highWaterMark: READ_BUFFER_BYTES });
  });
}

async function unlinkIfExists(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
  }
}
