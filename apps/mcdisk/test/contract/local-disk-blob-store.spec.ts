import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { LocalDiskBlobStore } from '../../src/storage/blobs/local-disk/local-disk-blob-store.js';
import { blobAppendContract } from './blob-append.contract.js';
import { blobStoreContract } from './blob-store.contract.js';

async function openStore() {
  const directory = await mkdtemp(join(tmpdir(), 'blob-store-'));
  const root = join(directory, 'not', 'there', 'yet');
  return {
    root,
    store: new LocalDiskBlobStore(root),
    countBlobs: async () => {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).length;
    },
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

blobStoreContract('local disk', openStore);
blobAppendContract('local disk', openStore, { runs: 20 });

describe('LocalDiskBlobStore', () => {
  test('creates files and directories that only the user of the service can read', async () => {
    const { root, store, close } = await openStore();
    const key = randomUUID();
    await store.stage(key, Readable.from([Buffer.from('x')]), 1);
    await store.promote(key);
    const path = join(root, 'live', key.slice(0, 2), key);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(root)).mode & 0o777).toBe(0o700);
    await close();
  });
});
