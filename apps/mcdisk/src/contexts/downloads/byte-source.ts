import type { Readable } from 'node:stream';
import type { BlobReader, ByteRange } from '../blobs/blob-store.js';

/** Bytes on their way out: in memory, in a file that is read into buffers of ours, or in a stream of the store. */
export type ByteSource =
  | { kind: 'memory'; bytes: Buffer }
  | { kind: 'file'; reader: BlobReader; range: ByteRange }
  | { kind: 'stream'; stream: Readable };
