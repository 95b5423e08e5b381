import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import type { Environment } from '@family-watch/platform/config/environment';
import { ReadinessCheck, type ReadinessProblem } from '@family-watch/platform/observability/readiness-check';
import { LocalDiskBlobStore } from './local-disk/local-disk-blob-store.js';
import { verifyBucket, type S3Settings } from './s3/s3-bucket.js';
import { S3BlobStore } from './s3/s3-blob-store.js';
import { BlobStore } from './blob-store.js';
import { errorCodeOf } from './local-disk/file-system.js';

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

/** Reads the settings of the object store. Returns `undefined` when blobs are stored on the local disk. */
export function readS3Settings(environment: Environment): S3Settings | undefined {
  const { S3_BUCKET, S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_PREFIX, S3_FORCE_PATH_STYLE } =
    environment;
  if (S3_BUCKET === undefined) return undefined;
  return {
    bucket: S3_BUCKET,
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    prefix: S3_PREFIX === undefined ? '' : `${S3_PREFIX.replace(/\/$/, '')}/`,
    forcePathStyle: S3_FORCE_PATH_STYLE === undefined ? S3_ENDPOINT !== undefined : S3_FORCE_PATH_STYLE === 'yes',
    ...(S3_ACCESS_KEY_ID !== undefined &&
      S3_SECRET_ACCESS_KEY !== undefined && {
        credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
      }),
  };
}

function directoryOf({ BLOB_DIR, DATA_DIR }: Environment): string {
  if (BLOB_DIR === undefined) return join(DATA_DIR, 'blobs');
  return BLOB_DIR.startsWith('file:') ? fileURLToPath(BLOB_DIR) : BLOB_DIR;
}

/** Checks whether the blob store accepts writes. */
@Injectable()
export class BlobStoreReadiness {
  private readonly check: ReadinessCheck;

  constructor(store: BlobStore) {
    this.check = new ReadinessCheck({
      name: BlobStoreReadiness.name,
      messages: { failed: 'Blob store rejects writes', recovered: 'Blob store accepts writes again' },
      check: async () => {
        try {
          await store.verifyWritable();
          return undefined;
        } catch (error) {
          // Too many files are open in this process or on this machine; the store itself may accept writes.
          if (isOutOfFileHandles(error)) throw error;
          return toProblem(error);
        }
      },
    });
  }

  findProblem(): Promise<ReadinessProblem | undefined> {
    return this.check.findProblem();
  }
}

function causeCodeOf(error: unknown): string | undefined {
  return errorCodeOf(error instanceof Error ? (error.cause ?? error) : error);
}

function isOutOfFileHandles(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(causeCodeOf(error) ?? '');
}

function toProblem(error: unknown): ReadinessProblem {
  const code = causeCodeOf(error) ?? 'unknown error';
  return { message: `The blob store rejects writes (${code})`, fields: { code } };
}
