import { Readable } from 'node:stream';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { BlobStore, StoredBlob } from '../../src/contexts/blobs/blob-store.js';

/** Sends all bytes, and then the connection is reset. */
export function brokenAfter(bytes: Buffer, chunk: number): Readable {
  return Readable.from(
    (async function* () {
      for (let start = 0; start < bytes.length; start += chunk) yield bytes.subarray(start, start + chunk);
      throw new Error('connection reset');
    })(),
  );
}

/** Sends these bytes, whatever is pushed into it, and never its end. */
export function neverEnding(bytes: Buffer): Readable {
  const source = new Readable({ read: () => undefined });
  source.push(bytes);
  return source;
}

/** Waits until somebody reads a source that never ends, and has taken what there is. */
export async function untilTaken(source: Readable): Promise<void> {
  await waitUntil(
    'a reader who has taken everything',
    () => source.listenerCount('data') > 0 && source.readableLength === 0,
  );
}

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
