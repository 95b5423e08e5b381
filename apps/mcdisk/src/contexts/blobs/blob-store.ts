import type { Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** What arrived, told from the bytes themselves. */
export interface StagedBlob {
  /** Bytes. */
  size: number;
  /** SHA-256, lower-case hex. */
  digest: string;
  /** The first bytes, enough to tell the media type. */
  head: Uint8Array;
}

export interface ByteRange {
  /** First byte, from 0. */
  start: number;
  /** Last byte, inclusive. */
  end: number;
}

/** More bytes came than were announced; nothing beyond the limit was stored. */
export class BlobTooLargeError extends Error {
  override readonly name = 'BlobTooLargeError';
}

/** The store does not have these bytes: never promoted, or removed. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
}

/** The store has no room left; nothing of what did not fit was kept. Whoever does not catch it answers 507. */
export class StoreFullError extends ServiceError {
  constructor(options?: { cause?: unknown }) {
    super('STORE_FULL', options);
  }
}

/** Seconds after which a store that failed may be asked again. */
const RETRY_AFTER = 10;

/** The store cannot be reached or fails; trying again later may help. Whoever does not catch it answers 503. */
export class StoreUnavailableError extends ServiceError {
  constructor(options?: { cause?: unknown }) {
    super('STORE_UNAVAILABLE', { ...options, retryAfter: RETRY_AFTER });
  }
}

/** How `append` goes on. */
export interface AppendOptions {
  /** Bytes that are there already and lasting; anything the store has beyond is overwritten. */
  offset: number;
  /** Bytes that may come now; what exceeds them fails with BlobTooLargeError after they were kept. */
  maxBytes: number;
  /** Updated with every byte that is written, in order. After an error it may know of bytes that were not kept. */
  hash: Hash;
  /**
   * Called every few mebibytes with the size that survives a power cut from now on; never two at a time, and not for
   * the end. Its failure ends the append.
   */
  onDurable?: (size: number) => Promise<void>;
  /** Ends the append as if the source had ended: what has come is kept. */
  signal?: AbortSignal;
}

/** A blob as the store has it, for whoever compares store and database. */
export interface StoredBlob {
  key: string;
  /** Staged ones are not readable yet; a resumable one may still grow. */
  staged: boolean;
  /** Bytes. */
  size: number;
  /** Unix milliseconds of the last change. */
  changedAt: number;
}

/** A promoted blob that is read into buffers of the reader's own. */
export interface BlobReader {
  /**
   * Fills `target` with the bytes from `position` on.
   * @returns how many; fewer than asked for only at the end of the blob
   */
  read(target: Buffer, position: number): Promise<number>;
  close(): Promise<void>;
}

/** The source broke off before its end; what had come is removed by `discard`. */
export class BlobSourceAbortedError extends Error {
  override readonly name = 'BlobSourceAbortedError';
}

/**
 * Where bytes live. Keys are random UUIDs that the caller makes and never uses twice. The database decides which
 * blobs exist; the store only keeps promises about bytes.
 */
export abstract class BlobStore {
  /**
   * Writes a new blob where no reader sees it, hashing on the way. Its bytes survive a power cut when this resolves,
   * its name does once it is promoted.
   * The source is read to its end and never destroyed, so that its connection can still carry an answer.
   * @throws BlobTooLargeError beyond `maxBytes`
   * @throws BlobSourceAbortedError when the source fails
   * @throws StoreFullError, StoreUnavailableError
   */
  abstract stage(key: string, source: Readable, maxBytes: number): Promise<StagedBlob>;

  /**
   * Writes more of a staged blob, and makes it when `offset` is 0. All that came is lasting when this resolves, also
   * when the source broke off: the answer tells how far, and the next append goes on there.
   * The source is never destroyed.
   * @returns bytes of the blob now
   * @throws BlobTooLargeError after `maxBytes` were kept
   * @throws BlobMissingError when the store has fewer than `offset` bytes
   * @throws StoreFullError, StoreUnavailableError; what `onDurable` was told stays true
   */
  abstract append(key: string, source: Readable, options: AppendOptions): Promise<number>;

  /**
   * Takes a staged blob away from a writer that may be dead or only slow: nothing that one still writes can change
   * its first `size` bytes from now on. Whatever lies beyond them is gone.
   * @throws BlobMissingError when the store has fewer bytes
   */
  abstract takeOver(key: string, size: number): Promise<void>;

  /**
   * Reads a staged blob from its begin, to hash or to look at it.
   * @throws BlobMissingError
   */
  abstract openStaged(key: string): Promise<Readable>;

  /**
   * Makes a staged blob readable, whole and at once, and lasting when this resolves. Harmless when it is already.
   * @param size bytes that it must have, no more and no fewer; whatever it has when absent
   * @throws BlobMissingError, also when it has another size: it is then as it was
   */
  abstract promote(key: string, size?: number): Promise<void>;

  /**
   * Reads a promoted blob, or a part of it.
   * @throws BlobMissingError
   */
  abstract open(key: string, range?: ByteRange): Promise<Readable>;

  /**
   * The same as a whole, for what is small: at most a few mebibytes.
   * @throws BlobMissingError
   */
  abstract read(key: string, range: ByteRange): Promise<Buffer>;

  /**
   * The same for what is large and often read, without new memory for each piece; `undefined` for a store that can
   * only stream.
   * @throws BlobMissingError
   */
  openReader(key: string): Promise<BlobReader | undefined>;
  openReader(): Promise<BlobReader | undefined> {
    return Promise.resolve(undefined);
  }

  /**
   * Where a proxy that shares the disk finds a promoted blob, relative to the root of the store; `undefined` for a
   * store without files.
   */
  abstract pathOf(key: string): string | undefined;

  /** All blobs, staged and promoted, in no order; those that come and go meanwhile may be missing. */
  abstract list(): AsyncIterable<StoredBlob>;

  /** Removes a blob, staged or promoted; harmless when there is none. */
  abstract discard(key: string): Promise<void>;
}

/** Enough for every signature that is looked for, those of office documents included. */
export const SIGNATURE_BYTES = 4_100;
