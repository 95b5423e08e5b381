import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import { isStoreIdentityKey } from '../../src/storage/garbage-collection/store-identity.service.js';
import type { CloudServer } from './cloud-server.js';
import { seedContent, type SeededContent } from './seeded-cloud.js';

/** A content that a test inserted directly into database and store, without an upload. */
export interface StoredContent {
  contentID: string;
  /** Key of the content's blob. */
  key: string;
  bytes: Buffer;
}

/** Inserts bytes, blob, content and usage as an upload leaves them. */
export async function storeContent(
  server: CloudServer,
  cloudID: string,
  { bytes = randomBytes(50), ...fields }: Partial<SeededContent> & { bytes?: Buffer } = {},
): Promise<StoredContent> {
  const [store, key] = [server.get(BlobStore), randomUUID()];
  await store.stage(key, Readable.from([bytes]), bytes.length);
  await store.promote(key);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const contentID = await seedContent(server, cloudID, { blobKey: key, size: bytes.length, digest, ...fields });
  return { contentID, key, bytes };
}

/** Stores bytes without a row, which are as old as the age in milliseconds. Returns their key. */
export async function storeOrphan(server: CloudServer, age: number): Promise<string> {
  const [store, key] = [server.get(BlobStore), randomUUID()];
  await store.stage(key, Readable.from([Buffer.from('lost')]), 4);
  await store.promote(key);
  const time = (Date.now() - age) / 1_000;
  await utimes(join(server.dataDir, 'blobs', store.relativePathOf(key) ?? ''), time, time);
  return key;
}

/** Returns the keys of all stored bytes in ascending order, without the identity that garbage collection stores. */
export async function findStoredKeys(server: CloudServer): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of server.get(BlobStore).list()) if (!isStoreIdentityKey(key)) keys.push(key);
  return keys.toSorted();
}
