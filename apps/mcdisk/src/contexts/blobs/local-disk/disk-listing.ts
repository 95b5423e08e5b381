import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { StoredBlob } from '../blob-store.js';
import { errorCodeOf, withStoreErrors } from './disk-error.js';
import type { DiskLayout } from './disk-layout.js';

/** Files that are looked at together. */
const BATCH = 64;

/** Every blob on the disk; what is not named like one is not the store's. */
export async function* listDiskBlobs(layout: DiskLayout): AsyncGenerator<StoredBlob> {
  await withStoreErrors(() => layout.prepare());
  yield* listFolder(layout.staging, true);
  for (const shard of layout.shards) yield* listFolder(shard, false);
}

async function* listFolder(folder: string, staged: boolean): AsyncGenerator<StoredBlob> {
  let keys: string[] = [];
  for await (const { name } of await withStoreErrors(() => opendir(folder))) {
    if (!isUuid(name)) continue;
    keys.push(name);
    if (keys.length < BATCH) continue;
    yield* await lookAt(folder, keys, staged);
    keys = [];
  }
  yield* await lookAt(folder, keys, staged);
}

async function lookAt(folder: string, keys: string[], staged: boolean): Promise<StoredBlob[]> {
  const blobs = await withStoreErrors(() => Promise.all(keys.map((key) => blobAt(folder, key, staged))));
  return blobs.filter((blob) => blob !== undefined);
}

async function blobAt(folder: string, key: string, staged: boolean): Promise<StoredBlob | undefined> {
  try {
    const { size, mtimeMs } = await stat(join(folder, key));
    return { key, staged, size, changedAt: Math.floor(mtimeMs) };
  } catch (error) {
    // It was promoted or discarded meanwhile.
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
