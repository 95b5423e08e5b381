import type { Readable } from 'node:stream';
import { BlobSourceAbortedError, BlobTooLargeError, StoreFullError, type AppendOptions } from '../blob-store.js';
import { BufferedSourceReader } from '../buffered-source-reader.js';
import { diskErrorToStoreError, writeBatch, type WritableFile } from './file-system.js';

/** Number of bytes after which the file is synced during an append, so that the last sync is short. */
const SYNC_INTERVAL_BYTES = 8 * 1024 * 1024;
/** Maximum time between two syncs of a slow append, even after fewer bytes. */
const SYNC_INTERVAL_MS = 10_000;

/** Appends to a file and syncs it, and records how many of its bytes are durable. */
export class DurableAppend {
  private size: number;
  private durableSize: number;
  /** Size of the file when the last sync started, which was at the time `lastSyncAt`. */
  private lastSyncSize: number;
  private lastSyncAt = performance.now();
  private runningSync: Promise<void> | undefined;
  private failure: { error: unknown } | undefined;

  /** @param syncName makes the name of a new file durable; absent for an existing file */
  constructor(
    private readonly file: WritableFile,
    private readonly options: AppendOptions,
    private readonly syncName?: () => Promise<void>,
  ) {
    this.size = options.offset;
    this.durableSize = options.offset;
    this.lastSyncSize = options.offset;
  }

  /** Implements {@link BlobStore.append}. */
  async run(source: Readable): Promise<number> {
    try {
      const tooLargeError = await this.writeAll(source);
      await this.finish();
      if (tooLargeError) throw tooLargeError;
      return this.size;
    } catch (error) {
      await this.runningSync;
      const storeError = diskErrorToStoreError(error);
      // Bytes that are not durable must not occupy space that other uploads need.
      if (storeError instanceof StoreFullError) await this.file.truncate(this.durableSize).catch(() => undefined);
      throw storeError;
    }
  }

  private async writeAll(source: Readable): Promise<BlobTooLargeError | undefined> {
    const { maxBytes, hash, signal } = this.options;
    const reader = new BufferedSourceReader(source, maxBytes, signal);
    try {
      for (let batch = await reader.read(); batch; batch = await reader.read()) {
        this.size = await writeBatch(this.file, batch, this.size, hash);
        this.syncWhenDue();
      }
      return undefined;
    } catch (error) {
      if (error instanceof BlobTooLargeError) return error;
      if (error instanceof BlobSourceAbortedError) return undefined;
      throw error;
    } finally {
      reader.release();
    }
  }

  private syncWhenDue(): void {
    this.throwAfterFailure();
    const now = performance.now();
    if (
      this.runningSync ||
      (this.size - this.lastSyncSize < SYNC_INTERVAL_BYTES && now - this.lastSyncAt < SYNC_INTERVAL_MS)
    )
      return;
    this.lastSyncAt = now;
    this.runningSync = this.makeDurable(this.size, true).then(
      () => (this.runningSync = undefined),
      (error: unknown) => {
        this.runningSync = undefined;
        this.failure = { error };
      },
    );
  }

  private throwAfterFailure(): void {
    if (this.failure) throw this.failure.error;
  }

  private async makeDurable(size: number, report: boolean): Promise<void> {
    this.lastSyncSize = size;
    const nameSync = this.durableSize === 0 ? this.syncName?.() : undefined;
    await Promise.all([this.file.datasync(), nameSync]);
    this.durableSize = Math.max(this.durableSize, size);
    if (report) await this.options.onDurable?.(size);
  }

  /**
   * Syncs the rest of the file without waiting for the previous sync to end first. A failed sync is never retried: the
   * operating system may have dropped the bytes, and would not report the loss a second time.
   */
  private async finish(): Promise<void> {
    this.throwAfterFailure();
    // The running sync or an earlier sync already includes all bytes.
    const isSyncUnnecessary =
      this.lastSyncSize === this.size && (this.runningSync !== undefined || this.durableSize > 0);
    await Promise.all([this.runningSync, isSyncUnnecessary ? undefined : this.makeDurable(this.size, false)]);
    this.throwAfterFailure();
  }
}
