import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { RandomAccessBytes } from './mp4-file.js';

/** Size, digest and first bytes of a staged blob, determined from the received bytes. */
export interface StagedBlob {
  /** Bytes. */
  size: number;
  /** SHA-256, lower-case hex. */
  digest: string;
  /** The first bytes, enough to detect the media type. */
  firstBytes: Uint8Array;
}

export interface ByteRange {
  /** First byte, from 0. */
  start: number;
  /** Last byte, inclusive. */
  end: number;
}

/** The source sent more bytes than announced; the bytes beyond the limit were not stored. */
export class BlobTooLargeError extends Error {
  override readonly name = 'BlobTooLargeError';
}

/** The store does not have the bytes of a blob: the blob was never promoted, or its bytes were deleted. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
}

/**
 * The store is full; the bytes that did not fit were not stored. An uncaught StoreFullError results in HTTP status 507.
 */
export class StoreFullError extends ServiceError {
  constructor(options?: { cause?: unknown }) {
    super('STORE_FULL', options);
  }
}

/** Value of the header `Retry-After` in responses while the store is unavailable. */
const RETRY_AFTER_SECONDS = 10;

/**
 * The store is unreachable or fails; a retry may succeed. An uncaught StoreUnavailableError results in HTTP status 503.
 */
export class StoreUnavailableError extends ServiceError {
  constructor(options?: { cause?: unknown }) {
    super('STORE_UNAVAILABLE', { ...options, retryAfter: RETRY_AFTER_SECONDS });
  }
}

/** Options of {@link BlobStore.append}. */
export interface AppendOptions {
  /** Number of bytes of the blob that are already durable; later bytes in the store are overwritten. */
  offset: number;
  /**
   * Maximum number of bytes to append. If the source sends more than `maxBytes`, the first `maxBytes` are stored and
   * BlobTooLargeError is thrown.
   */
  maxBytes: number;
  /**
   * Hash that is updated with every written byte, in order. After an error the hash may include bytes that were not
   * stored.
   */
  hash: Hash;
  /**
   * Callback that receives the number of durable bytes of the blob, every few mebibytes and never concurrently. The
   * callback is not called for the last bytes of the append, which are durable when the append has completed. If the
   * callback fails, the append fails.
   */
  onDurable?: (size: number) => Promise<void>;
  /** When this signal aborts, the append ends as if the source had ended: the bytes received so far are stored. */
  signal?: AbortSignal;
}

/** A blob as listed by the store, for comparison with the database. */
export interface StoredBlob {
  key: string;
  /** True for a staged blob, which is not readable yet and, in a resumable upload, may still grow. */
  staged: boolean;
  /** Bytes. */
  size: number;
  /** Time of the last change, Unix milliseconds. */
  changedAt: number;
}

/** Reads a promoted blob into buffers that the caller provides. */
export interface BlobReader {
  /**
   * Fills `target` with the bytes from `position` on.
   * @returns the number of bytes read; less than the length of `target` only at the end of the blob
   */
  read(target: Buffer, position: number): Promise<number>;
  close(): Promise<void>;
}

/** The source aborted before its end. The received bytes remain in the store until `discard` is called. */
export class BlobSourceAbortedError extends Error {
  override readonly name = 'BlobSourceAbortedError';
}

/**
 * Stores the bytes of blobs. Keys are random UUIDs that the caller generates and never reuses. The database defines
 * which blobs exist; the store only guarantees the durability of bytes.
 */
export abstract class BlobStore {
  /**
   * Writes a new blob that is not readable yet, and computes its digest. When the promise resolves, the bytes of the
   * blob are durable; the name of the blob becomes durable by `promote`. The source is read to its end and never
   * destroyed, so that the service can still send a response on its connection.
   * @throws BlobTooLargeError beyond `maxBytes`
   * @throws BlobSourceAbortedError when the source fails
   * @throws StoreFullError, StoreUnavailableError
   */
  abstract stage(key: string, source: Readable, maxBytes: number): Promise<StagedBlob>;

  /**
   * Writes a new blob in one step: like `stage`, but the blob is readable and its name durable when the promise
   * resolves. After an error, a part of the blob may remain until `discard` is called, and may be readable.
   */
  async put(key: string, source: Readable, maxBytes: number): Promise<StagedBlob> {
    const staged = await this.stage(key, source, maxBytes);
    await this.promote(key, staged.size);
    return staged;
  }

  /**
   * Appends to a staged blob; creates the blob when `offset` is 0. All received bytes are durable when the promise
   * resolves, also when the source aborted. The next append continues at the returned size. The source is never
   * destroyed.
   * @returns size of the blob in bytes
   * @throws BlobTooLargeError after `maxBytes` were stored
   * @throws BlobMissingError when the store has fewer than `offset` bytes
   * @throws StoreFullError, StoreUnavailableError; sizes that were passed to `onDurable` stay durable
   */
  abstract append(key: string, source: Readable, options: AppendOptions): Promise<number>;

  /**
   * Takes over a staged blob from a writer that has crashed or is slow. Later writes of the previous writer cannot
   * change the first `size` bytes. Bytes after the first `size` bytes are deleted.
   * @throws BlobMissingError when the store has fewer than `size` bytes
   */
  abstract replaceWriter(key: string, size: number): Promise<void>;

  /**
   * Reads a staged blob from its start, to hash or inspect it.
   * @throws BlobMissingError
   */
  abstract openStaged(key: string): Promise<Readable>;

  /**
   * Makes a staged blob readable, atomically. The blob is durable when the promise resolves. Idempotent.
   * @param size exact size in bytes that the blob must have; not checked when absent
   * @throws BlobMissingError, also when the size differs; in this case the blob is unchanged
   */
  abstract promote(key: string, size?: number): Promise<void>;

  /**
   * Reads a promoted blob, or a part of it.
   * @throws BlobMissingError
   */
  abstract open(key: string, range?: ByteRange): Promise<Readable>;

  /**
   * Reads a range of a promoted blob, of at most a few mebibytes, into memory.
   * @throws BlobMissingError
   */
  abstract read(key: string, range: ByteRange): Promise<Buffer>;

  /**
   * Returns a promoted blob for reads of any size. Each read opens the blob.
   * @param size exact size of the blob, bytes
   */
  toRandomAccess(key: string, size: number): RandomAccessBytes {
    return {
      size,
      read: async (start, length) =>
        length === 0 ? Buffer.alloc(0) : buffer(await this.open(key, { start, end: start + length - 1 })),
    };
  }

  /**
   * Opens a promoted blob for repeated reads into reused buffers; resolves to `undefined` when the store can only
   * stream.
   * @throws BlobMissingError
   */
  openReader(key: string): Promise<BlobReader | undefined>;
  openReader(): Promise<BlobReader | undefined> {
    return Promise.resolve(undefined);
  }

  /**
   * Returns the path of a promoted blob relative to the root of the store, for a proxy that shares the disk, or
   * `undefined` for a store without files.
   */
  abstract relativePathOf(key: string): string | undefined;

  /**
   * Lists all staged and promoted blobs, in no particular order. Blobs that are created or deleted while the list is
   * read may be missing.
   */
  abstract list(): AsyncIterable<StoredBlob>;

  /** Deletes a staged or promoted blob. Idempotent. */
  abstract discard(key: string): Promise<void>;

  /**
   * Checks that the store can be written, by writing a few bytes and deleting them. The method does nothing for a store
   * without a disk of its own.
   * @throws StoreFullError, StoreUnavailableError
   */
  verifyWritable(): Promise<void> {
    return Promise.resolve();
  }
}

/** Number of first bytes that suffices to detect every supported file signature, also those of office documents. */
export const SIGNATURE_BYTES = 4_100;

/** Receives all bytes of a blob in order. The class `Hash` of node:crypto implements this interface. */
export interface ByteObserver {
  update(chunk: Buffer): unknown;
}

/** Computes a {@link StagedBlob} from the bytes while they are written. */
export class StagedBlobInspector implements ByteObserver {
  private readonly hash = createHash('sha256');
  private readonly headChunks: Buffer[] = [];
  private size = 0;

  update(chunk: Buffer): void {
    // The first bytes are copied, so that the rest of the chunk does not stay in memory.
    if (this.size < SIGNATURE_BYTES) this.headChunks.push(Buffer.from(chunk.subarray(0, SIGNATURE_BYTES - this.size)));
    this.hash.update(chunk);
    this.size += chunk.length;
  }

  /** Returns the result. Must be called once, after the last byte. */
  result(): StagedBlob {
    return { size: this.size, digest: this.hash.digest('hex'), firstBytes: Buffer.concat(this.headChunks) };
  }
}
