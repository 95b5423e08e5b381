import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '@family-watch/platform/config/environment';
import type { BlobStore } from './blob-store.js';
import { LocalDiskBlobStore } from './local-disk/local-disk-blob-store.js';
import { verifyBucket } from './s3/s3-bucket.js';
import { S3BlobStore } from './s3/s3-blob-store.js';
import { readS3Settings } from './s3/s3-settings.js';

/**
 * Creates the blob store that the environment variables configure. The service and its maintenance programs use this
 * function.
 * @throws EnvironmentError when the configured bucket cannot be used
 */
export async function createBlobStore(environment: Environment): Promise<BlobStore> {
  const settings = readS3Settings(environment);
  if (!settings) return new LocalDiskBlobStore(directoryOf(environment));
  await verifyBucket(settings);
  return new S3BlobStore(settings);
}

function directoryOf({ BLOB_DIR, DATA_DIR }: Environment): string {
  if (BLOB_DIR === undefined) return join(DATA_DIR, 'blobs');
  return BLOB_DIR.startsWith('file:') ? fileURLToPath(BLOB_DIR) : BLOB_DIR;
}
