import type { Readable } from 'node:stream';

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

/** The source broke off before its end; what had come is removed by `discard`. */
export class BlobBrokenOffError extends Error {
  override readonly name = 'BlobBrokenOffError';
}

/**
 * Where bytes live. Keys are random UUIDs that the caller makes and never uses twice. The database decides which
 * blobs exist; the store only keeps promises about bytes.
 */
export abstract class BlobStore {
  /**
   * Writes a new blob where no reader sees it, hashing on the way. It survives a power cut when this resolves.
   * The source is read to its end and never destroyed, so that its connection can still carry an answer.
   * @throws BlobTooLargeError beyond `maxBytes`
   * @throws BlobBrokenOffError when the source fails
   */
  abstract stage(key: string, source: Readable, maxBytes: number): Promise<StagedBlob>;

  /** Makes a staged blob readable, whole and at once, and lasting when this resolves. */
  abstract promote(key: string): Promise<void>;

  /**
   * Reads a promoted blob, or a part of it.
   * @throws BlobMissingError
   */
  abstract open(key: string, range?: ByteRange): Promise<Readable>;

  /** Removes a blob, staged or promoted; harmless when there is none. */
  abstract discard(key: string): Promise<void>;
}

/** Enough for every signature that is looked for, those of office documents included. */
export const HEAD_BYTES = 4_100;
