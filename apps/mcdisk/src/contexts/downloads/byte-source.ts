import type { Readable } from 'node:stream';
import type { BlobReader, ByteRange } from '../blobs/blob-store.js';

/**
 * Bytes on their way out: in memory, in a buffer of ours that comes back, in a file that is read into such buffers, or
 * in a stream of the store.
 */
export type ByteSource =
  | { kind: 'memory'; bytes: Buffer }
  | { kind: 'buffer'; buffer: Buffer; bytes: Buffer }
  | { kind: 'file'; reader: BlobReader; range: ByteRange }
  | { kind: 'stream'; stream: Readable };
