import { createHash } from 'node:crypto';
import { SIGNATURE_BYTES } from './blob-store.js';
import type { StagedBlob } from './blob-store.js';

/** Receives every byte in order. `Hash` implements it. */
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
