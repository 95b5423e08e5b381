import type { Readable } from 'node:stream';
import type { BlobReader, ByteRange } from '../storage/blobs/blob-store.js';

/**
 * Source of the bytes of a response: memory, a pooled buffer, a file that is read into pooled buffers, or a stream of
 * the store.
 */
export type ByteSource =
  | { kind: 'memory'; bytes: Buffer }
  | { kind: 'buffer'; buffer: Buffer; bytes: Buffer }
  | { kind: 'file'; reader: BlobReader; range: ByteRange }
  | { kind: 'stream'; stream: Readable };
