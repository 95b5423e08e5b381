import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BlobMissingError, BlobStore } from '../storage/blobs/blob-store.js';

/** Maximum number of cached hashes. For an upload without a cached hash the received bytes are read again. */
const MAX_CACHED_HASHES = 2_000;

interface PartialHash {
  offset: number;
  hash: Hash;
}

/**
 * Caches the SHA-256 state of uploads that arrive in several requests. The cache is used when the same process handles
 * the next request of the upload.
 */
@Injectable()
export class PartialHashService {
  private readonly cache = new LRUCache<string, PartialHash>({ max: MAX_CACHED_HASHES });

  constructor(private readonly store: BlobStore) {}

  /**
   * Removes the hash of the first `offset` bytes from the cache and returns it, so that only the caller continues it.
   * @throws BlobMissingError when the store has fewer bytes
   */
  async claim(blobKey: string, offset: number): Promise<Hash> {
    const partial = this.cache.get(blobKey);
    this.cache.delete(blobKey);
    if (partial?.offset === offset) return partial.hash;
    const hash = createHash('sha256');
    return offset === 0 ? hash : this.read(blobKey, offset, hash);
  }

  save(blobKey: string, offset: number, hash: Hash): void {
    this.cache.set(blobKey, { offset, hash });
  }

  private async read(blobKey: string, bytes: number, hash: Hash): Promise<Hash> {
    const source = await this.open(blobKey);
    let left = bytes;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk.subarray(0, left));
      left -= Math.min(left, chunk.length);
      if (left === 0) break;
    }
    if (left > 0) throw new BlobMissingError('The store has fewer bytes than expected');
    return hash;
  }

  /** Opens the staged blob, or the promoted blob if a process has crashed between promotion and commit. */
  private async open(blobKey: string): Promise<Readable> {
    try {
      return await this.store.openStaged(blobKey);
    } catch (error) {
      if (error instanceof BlobMissingError) return this.store.open(blobKey);
      throw error;
    }
  }
}
