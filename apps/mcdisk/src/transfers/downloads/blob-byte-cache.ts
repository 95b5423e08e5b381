import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BlobStore, type BlobReader, type ByteRange } from '../../storage/blobs/blob-store.js';

/**
 * Source of the bytes of a response: memory, a pooled buffer, a file that is read into pooled buffers, or a stream of
 * the store.
 */
export type ByteSource =
  | { kind: 'memory'; bytes: Buffer }
  | { kind: 'buffer'; buffer: Buffer; bytes: Buffer }
  | { kind: 'file'; reader: BlobReader; range: ByteRange }
  | { kind: 'stream'; stream: Readable };

/**
 * Number of bytes per read of a file. A read wakes another thread, which costs about as much as copying `BUFFER_BYTES`
 * bytes.
 */
export const BUFFER_BYTES = 512 * 1024;
/** Maximum number of idle buffers (16 MiB); further buffers are left to the garbage collector of V8. */
const MAX_IDLE_BUFFERS = 32;

const idleBuffers: Buffer[] = [];

/**
 * Returns a buffer to read into. Allocating a buffer costs more than reading into it, so callers must return the buffer
 * with `releaseBuffer`.
 */
export function acquireBuffer(): Buffer {
  return idleBuffers.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
}

/**
 * Returns a buffer to the pool. Must be called only when nothing reads or writes the buffer any more. A buffer that is
 * not released is not reused.
 */
export function releaseBuffer(buffer: Buffer): void {
  if (idleBuffers.length < MAX_IDLE_BUFFERS) idleBuffers.push(buffer);
}

/** Maximum size of a cached blob. Small blobs are cached because thumbnails are requested often. */
export const MAX_CACHED_BYTES = 64 * 1024;
const MAX_TOTAL_CACHED_BYTES = 32 * 1024 * 1024;

/** The store returned fewer bytes than the size in the database. */
export class BlobTruncatedError extends Error {
  override readonly name = 'BlobTruncatedError';
}

/**
 * Reads the bytes of blobs. The caller must have checked that the reader has access. Small blobs are cached: their
 * bytes never change, and their keys are never reused.
 */
@Injectable()
export class BlobByteCache {
  private readonly cache = new LRUCache<string, Buffer>({
    maxSize: MAX_TOTAL_CACHED_BYTES,
    sizeCalculation: ({ length }) => Math.max(1, length),
  });

  constructor(private readonly store: BlobStore) {}

  /**
   * @param size bytes of the whole blob
   * @throws BlobMissingError or BlobTruncatedError when the store has lost the blob or a part of it
   */
  async open(blobKey: string, size: number, range: ByteRange | undefined): Promise<ByteSource> {
    const { start, end } = range ?? { start: 0, end: size - 1 };
    if (size <= MAX_CACHED_BYTES) {
      const bytes = await this.readWhole(blobKey, size);
      return { kind: 'memory', bytes: bytes.subarray(start, end + 1) };
    }
    const length = end - start + 1;
    // A short response uses no pooled buffer, because the number of short responses per principal is not limited.
    const reader = length > MAX_CACHED_BYTES ? await this.store.openReader(blobKey) : undefined;
    if (reader)
      return length > BUFFER_BYTES
        ? { kind: 'file', reader, range: { start, end } }
        : readIntoBuffer(reader, { start, end });
    if (length <= BUFFER_BYTES) return { kind: 'memory', bytes: await this.read(blobKey, { start, end }) };
    return { kind: 'stream', stream: await this.store.open(blobKey, { start, end }) };
  }

  private async readWhole(blobKey: string, size: number): Promise<Buffer> {
    if (size === 0) return Buffer.alloc(0);
    const cached = this.cache.get(blobKey);
    if (cached) return cached;
    const bytes = await this.read(blobKey, { start: 0, end: size - 1 });
    this.cache.set(blobKey, bytes);
    return bytes;
  }

  private async read(blobKey: string, range: ByteRange): Promise<Buffer> {
    const bytes = await this.store.read(blobKey, range);
    if (bytes.length <= range.end - range.start)
      throw new BlobTruncatedError('The stored blob is shorter than its size');
    return bytes;
  }
}

/** Reads a range that fits into one pooled buffer, before the response begins. */
async function readIntoBuffer(reader: BlobReader, { start, end }: ByteRange): Promise<ByteSource> {
  const buffer = acquireBuffer();
  const bytes = buffer.subarray(0, end - start + 1);
  try {
    if ((await reader.read(bytes, start)) === bytes.length) return { kind: 'buffer', buffer, bytes };
  } finally {
    await reader.close();
  }
  throw new BlobTruncatedError('The stored blob is shorter than its size');
}
