import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { BlobStore } from '../../src/contexts/storage/blobs/blob-store.js';
import type { CloudServer } from './cloud-server.js';

/** A content that a test inserted directly into database and store, without an upload. */
export interface StoredContent {
  contentID: string;
  /** Key of the content's blob. */
  key: string;
  bytes: Buffer;
}

/** The fields of a stored content that tests may set. */
export interface StoredContentFields {
  bytes?: Buffer;
  cid?: string | null;
  uploader?: string;
  parentFolderId?: string | null;
}

/** Inserts bytes, blob, content and usage as an upload leaves them. */
export async function storeContent(
  server: CloudServer,
  cloudID: string,
  row: StoredContentFields = {},
): Promise<StoredContent> {
  const { bytes = randomBytes(50), cid = null, uploader = 'user:nobody', parentFolderId = null } = row;
  const store = server.app.get(BlobStore, { strict: false });
  const [contentID, key] = [randomUUID(), randomUUID()];
  const digest = createHash('sha256').update(bytes).digest('hex');
  const now = Date.now();
  await store.stage(key, Readable.from([bytes]), bytes.length);
  await store.promote(key);
  const { executor } = server.unitOfWork;
  await server.unitOfWork.run(async () => {
    await executor.query(
      `INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since, size, digest)
       VALUES ($1, $2, 'LIVE', $3, $4, $5)`,
      [key, cloudID, now, bytes.length, digest],
    );
    await executor.query(
      `INSERT INTO mcdisk.content (content_id, cloud_id, parent_catalog_id, cid, blob_key, name, size, digest, type,
                                   media_type, uploader, state, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, 'file', $6, $7, 5, 'application/octet-stream', $8, 'ACTIVE', $9, $9)`,
      [contentID, cloudID, parentFolderId, cid, key, bytes.length, digest, uploader, now],
    );
    await executor.query(
      'UPDATE mcdisk.family_cloud SET used_size = used_size + $2, content_count = content_count + 1 WHERE cloud_id = $1',
      [cloudID, bytes.length],
    );
  });
  return { contentID, key, bytes };
}
