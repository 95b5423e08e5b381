import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BlobMissingError, BlobStore } from '../blobs/blob-store.js';

/** Uploads whose hash is kept at a time; of others the beginning is read again. */
const KEPT = 2_000;

interface Running {
  offset: number;
  hash: Hash;
}

/** SHA-256 of uploads that come in several requests: kept from one to the next where they meet the same process. */
@Injectable()
export class PartialHashService {
  private readonly kept = new LRUCache<string, Running>({ max: KEPT });

  constructor(private readonly store: BlobStore) {}

  /**
   * The hash of the first `offset` bytes; whoever takes it goes on with it alone.
   * @throws BlobMissingError when the store has fewer bytes
   */
  async take(blobKey: string, offset: number): Promise<Hash> {
    const running = this.kept.get(blobKey);
    this.kept.delete(blobKey);
    if (running?.offset === offset) return running.hash;
    const hash = createHash('sha256');
    return offset === 0 ? hash : this.read(blobKey, offset, hash);
  }

  put(blobKey: string, offset: number, hash: Hash): void {
    this.kept.set(blobKey, { offset, hash });
  }

  private async read(blobKey: string, bytes: number, hash: Hash): Promise<Hash> {
    const source = await this.open(blobKey);
    let left = bytes;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk.subarray(0, left));
      left -= Math.min(left, chunk.length);
      if (left === 0) break;
    }
    if (left > 0) throw new BlobMissingError('The store has fewer bytes than it said');
    return hash;
  }

  /** A process may have died between promoting a blob and committing it. */
  private async open(blobKey: string): Promise<Readable> {
    try {
      return await this.store.openStaged(blobKey);
    } catch (error) {
      if (error instanceof BlobMissingError) return this.store.open(blobKey);
      throw error;
    }
  }
}
