import type { Readable } from 'node:stream';
import { BlobSourceAbortedError, BlobTooLargeError, StoreFullError } from '../blob-store.js';
import type { AppendOptions } from '../blob-store.js';
import { BufferedSourceReader } from '../buffered-source-reader.js';
import { diskErrorToStoreError } from './disk-error.js';
import { writePiece } from './file-writer.js';
import type { WritableFile } from './file-writer.js';

/** Bytes after which the file is synchronised while more of it arrives, so that the last sync is a short one. */
const SYNC_BYTES = 8 * 1024 * 1024;

/** Milliseconds after which a slow upload is synchronised all the same. */
const SYNC_MS = 10_000;

/** Writes on at the end of a file, and keeps track of how much of it survives a power cut. */
export class DurableAppend {
  private size: number;
  private durable: number;
  /** How far the sync that began last goes, and when it began. */
  private syncedTo: number;
  private syncedAt = performance.now();
  private running: Promise<void> | undefined;
  private failure: { error: unknown } | undefined;

  /** @param syncName makes the file's name lasting; only needed for a new file */
  constructor(
    private readonly file: WritableFile,
    private readonly options: AppendOptions,
    private readonly syncName?: () => Promise<void>,
  ) {
    this.size = options.offset;
    this.durable = options.offset;
    this.syncedTo = options.offset;
  }

  /** Does what {@link BlobStore.append} promises. */
  async run(source: Readable): Promise<number> {
    try {
      const excess = await this.writeAll(source);
      await this.finish();
      if (excess) throw excess;
      return this.size;
    } catch (error) {
      await this.running;
      const fault = diskErrorToStoreError(error);
      // What does not fit must not keep the room that others need.
      if (fault instanceof StoreFullError) await this.file.truncate(this.durable).catch(() => undefined);
      throw fault;
    }
  }

  private async writeAll(source: Readable): Promise<BlobTooLargeError | undefined> {
    const { maxBytes, hash, signal } = this.options;
    const reader = new BufferedSourceReader(source, maxBytes, signal);
    try {
      for (let piece = await reader.read(); piece; piece = await reader.read()) {
        this.size = await writePiece(this.file, piece, this.size, hash);
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
    this.refuseAfterFailure();
    const now = performance.now();
    if (this.running || (this.size - this.syncedTo < SYNC_BYTES && now - this.syncedAt < SYNC_MS)) return;
    this.syncedAt = now;
    this.running = this.makeDurable(this.size, true).then(
      () => (this.running = undefined),
      (error: unknown) => {
        this.running = undefined;
        this.failure = { error };
      },
    );
  }

  private refuseAfterFailure(): void {
    if (this.failure) throw this.failure.error;
  }

  private async makeDurable(size: number, tell: boolean): Promise<void> {
    this.syncedTo = size;
    const named = this.durable === 0 ? this.syncName?.() : undefined;
    await Promise.all([this.file.datasync(), named]);
    this.durable = Math.max(this.durable, size);
    if (tell) await this.options.onDurable?.(size);
  }

  /**
   * The last sync does not wait for the one before. One that failed is never repeated: the system may have dropped
   * the bytes and would not say so again.
   */
  private async finish(): Promise<void> {
    this.refuseAfterFailure();
    const isCovered = this.syncedTo === this.size && (this.running !== undefined || this.durable > 0);
    await Promise.all([this.running, isCovered ? undefined : this.makeDurable(this.size, false)]);
    this.refuseAfterFailure();
  }
}
