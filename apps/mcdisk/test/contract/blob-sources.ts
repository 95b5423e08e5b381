import { Readable } from 'node:stream';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { BlobStore, StoredBlob } from '../../src/storage/blobs/blob-store.js';

/** Creates a source that sends all bytes and then fails with a connection reset. */
export function abortedAfter(bytes: Buffer, chunk: number): Readable {
  return Readable.from(
    (async function* () {
      for (let start = 0; start < bytes.length; start += chunk) yield bytes.subarray(start, start + chunk);
      throw new Error('connection reset');
    })(),
  );
}

/** Creates a source that sends the given bytes and then all bytes that are pushed to it, and never ends. */
export function endlessSource(bytes: Buffer): Readable {
  const source = new Readable({ read: () => undefined });
  source.push(bytes);
  return source;
}

/** Waits until a reader has consumed all bytes of an endless source. */
export async function waitUntilDrained(source: Readable): Promise<void> {
  await waitUntil('the source to be drained', () => source.listenerCount('data') > 0 && source.readableLength === 0);
}

/** Returns the blobs that the store lists, by key, and the times of their last changes in Unix milliseconds. */
export async function blobsOf(
  store: BlobStore,
): Promise<{ blobs: Map<string, Pick<StoredBlob, 'staged' | 'size'>>; changedAt: number[] }> {
  const blobs = new Map<string, Pick<StoredBlob, 'staged' | 'size'>>();
  const changedAt: number[] = [];
  for await (const { key, staged, size, changedAt: time } of store.list()) {
    blobs.set(key, { staged, size });
    changedAt.push(time);
  }
  return { blobs, changedAt };
}
