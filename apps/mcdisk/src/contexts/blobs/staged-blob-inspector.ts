import { createHash } from 'node:crypto';
import { SIGNATURE_BYTES } from './blob-store.js';
import type { StagedBlob } from './blob-store.js';

/** Is told every byte in order; a `Hash` is one. */
export interface ByteObserver {
  update(chunk: Buffer): unknown;
}

/** Learns what {@link StagedBlob} tells while the bytes go by. */
export class StagedBlobInspector implements ByteObserver {
  private readonly hash = createHash('sha256');
  private readonly head: Buffer[] = [];
  private size = 0;

  update(chunk: Buffer): void {
    // A copy, so that the rest of the chunk is not kept for the sake of its first bytes.
    if (this.size < SIGNATURE_BYTES) this.head.push(Buffer.from(chunk.subarray(0, SIGNATURE_BYTES - this.size)));
    this.hash.update(chunk);
    this.size += chunk.length;
  }

  /** Once, at the end. */
  result(): StagedBlob {
    return { size: this.size, digest: this.hash.digest('hex'), head: Buffer.concat(this.head) };
  }
}
