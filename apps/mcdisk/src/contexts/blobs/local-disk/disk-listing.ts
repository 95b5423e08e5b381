import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { StoredBlob } from '../blob-store.js';
import { errorCodeOf, withStoreErrors } from './disk-error.js';
import type { DiskLayout } from './disk-layout.js';

/** Number of files that are inspected concurrently. */
const BATCH_SIZE = 64;

/** Lists every blob on the disk; files whose name is not a blob key are skipped. */
export async function* listDiskBlobs(layout: DiskLayout): AsyncGenerator<StoredBlob> {
  await withStoreErrors(() => layout.ensureDirectories());
  yield* listDirectory(layout.stagingDirectory, true);
  for (const shard of layout.shardDirectories) yield* listDirectory(shard, false);
}

async function* listDirectory(directory: string, staged: boolean): AsyncGenerator<StoredBlob> {
  let keys: string[] = [];
  for await (const { name } of await withStoreErrors(() => opendir(directory))) {
    if (!isUuid(name)) continue;
    keys.push(name);
    if (keys.length < BATCH_SIZE) continue;
    yield* await inspect(directory, keys, staged);
    keys = [];
  }
  yield* await inspect(directory, keys, staged);
}

async function inspect(directory: string, keys: string[], staged: boolean): Promise<StoredBlob[]> {
  const blobs = await withStoreErrors(() => Promise.all(keys.map((key) => inspectFile(directory, key, staged))));
  return blobs.filter((blob) => blob !== undefined);
}

async function inspectFile(directory: string, key: string, staged: boolean): Promise<StoredBlob | undefined> {
  try {
    const { size, mtimeMs } = await stat(join(directory, key));
    return { key, staged, size, changedAt: Math.floor(mtimeMs) };
  } catch (error) {
    // The blob was promoted or deleted after its directory was read.
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
