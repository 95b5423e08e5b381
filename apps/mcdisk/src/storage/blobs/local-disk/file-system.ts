import { closeSync, fsync, open } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import {
  BlobMissingError,
  StoreFullError,
  StoreUnavailableError,
  type BlobReader,
  type ByteObserver,
} from '../blob-store.js';

const FULL_DISK_CODES = ['ENOSPC', 'EDQUOT'];
const UNAVAILABLE_CODES = [
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'ENODEV',
  'ENXIO',
  'ESTALE',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
];

/**
 * Opens a file and returns its descriptor. For files that are open only for one write and one sync, a descriptor needs a
 * quarter less CPU time than a `FileHandle`: it can be closed without another task of the thread pool.
 */
export const openFile = promisify(open);
const syncFile = promisify(fsync);

export function errorCodeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Converts a file system error to an error of the blob store; returns other errors unchanged. */
export function diskErrorToStoreError(cause: unknown): unknown {
  const code = errorCodeOf(cause);
  if (code === undefined) return cause;
  if (FULL_DISK_CODES.includes(code)) return new StoreFullError({ cause });
  if (UNAVAILABLE_CODES.includes(code)) return new StoreUnavailableError({ cause });
  if (code === 'ENOENT') return new BlobMissingError('The store does not have this blob', { cause });
  return cause;
}

/** Runs file system calls and converts their errors to errors of the blob store. */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskErrorToStoreError(error);
  }
}

/** Reads an open file. */
export class FileReader implements BlobReader {
  constructor(private readonly file: FileHandle) {}

  read(target: Buffer, position: number): Promise<number> {
    return withStoreErrors(() => readFully(this.file, target, position));
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

/**
 * Reads until `target` is full or the file ends, because a single read may return fewer bytes. Returns the number of
 * bytes read.
 */
export async function readFully(file: FileHandle, target: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const { bytesRead } = await file.read(target, filled, target.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** The methods of `FileHandle` that are needed to write a file. */
export interface WritableFile {
  writev(buffers: readonly Buffer[], position: number): Promise<{ bytesWritten: number }>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
}

/**
 * Writes a batch of chunks at `position` and computes their hash at the same time.
 * @returns the position after the batch
 */
export async function writeBatch(
  file: Pick<WritableFile, 'writev'>,
  batch: Buffer[],
  position: number,
  hash: ByteObserver,
): Promise<number> {
  const writing = writeFully(file, batch, position);
  for (const chunk of batch) hash.update(chunk);
  return writing;
}

async function writeFully(file: Pick<WritableFile, 'writev'>, batch: Buffer[], position: number): Promise<number> {
  let remaining = batch;
  let end = position;
  while (remaining.length > 0) {
    const { bytesWritten } = await file.writev(remaining, end);
    end += bytesWritten;
    remaining = removeWrittenBytes(remaining, bytesWritten);
  }
  return end;
}

/** Returns the part of a batch that is left to write after `written` bytes. */
function removeWrittenBytes(batch: Buffer[], written: number): Buffer[] {
  let skipped = 0;
  for (const [index, chunk] of batch.entries()) {
    if (skipped + chunk.length > written) return [chunk.subarray(written - skipped), ...batch.slice(index + 1)];
    skipped += chunk.length;
  }
  return [];
}

/** The running sync of a directory, and the next sync if callers wait for one. */
interface SyncQueue {
  runningSync: Promise<void>;
  nextSync?: Promise<void>;
}

/**
 * Makes the names of files in directories durable, with fsync(2). Concurrent callers for the same directory share one
 * sync, which begins after their changes.
 */
export class DirectorySync {
  private readonly queueByDirectory = new Map<string, SyncQueue>();

  constructor(private readonly syncDirectory: (path: string) => Promise<void> = fsyncDirectory) {}

  /** Resolves when all names that were changed in this directory before the call are durable. */
  sync(path: string): Promise<void> {
    const queue = this.queueByDirectory.get(path);
    if (!queue) return this.startSync(path);
    // The caller needs the next sync, because the running one may have begun before the caller's change.
    queue.nextSync ??= queue.runningSync.then(
      () => this.startSync(path),
      () => this.startSync(path),
    );
    return queue.nextSync;
  }

  private startSync(path: string): Promise<void> {
    const running = this.syncDirectory(path);
    const queue: SyncQueue = { runningSync: running };
    this.queueByDirectory.set(path, queue);
    const end = () => {
      if (!queue.nextSync) this.queueByDirectory.delete(path);
    };
    running.then(end, end);
    return running;
  }
}

async function fsyncDirectory(path: string): Promise<void> {
  // On Windows a directory cannot be opened for fsync.
  if (process.platform === 'win32') return;
  const directory = await openFile(path, 'r');
  try {
    await syncFile(directory);
  } finally {
    closeSync(directory);
  }
}
