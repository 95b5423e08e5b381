import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { EnvironmentError, loadEnvironment } from '@family-watch/platform/config/load-environment';
import { StoreUnavailableError } from '../../src/storage/blobs/blob-store.js';
import { createBlobStore } from '../../src/storage/blobs/blob-store-provider.js';
import { S3BlobStore } from '../../src/storage/blobs/s3/s3-blob-store.js';
import type { SwiftServer } from '../support/swift-server.js';

/** A URL at which no object store listens. */
export const UNREACHABLE_URL = 'http://127.0.0.1:1';

/**
 * Opens the blob store with these variables. Returns the startup problems, one per line, or an empty text if the store
 * opens.
 */
export async function startupProblems(variables: NodeJS.ProcessEnv): Promise<string> {
  try {
    await createBlobStore(loadEnvironment(variables));
    return '';
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems.join('\n');
    throw error;
  }
}

/** Defines the tests of the startup with valid and invalid settings of an S3 store. */
export function s3StartContract(getServer: () => SwiftServer): void {
  let swift: SwiftServer;
  beforeAll(async () => {
    swift = getServer();
    await swift.createBucket('files');
  });

  const variables = (): NodeJS.ProcessEnv => {
    const { bucket, endpoint, credentials } = swift.settings('files');
    return {
      S3_BUCKET: bucket,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
  };

  test('the service opens the S3 store that the environment configures', async () => {
    const store = await createBlobStore(loadEnvironment(variables()));
    expect(store).toBeInstanceOf(S3BlobStore);
    expect(store.relativePathOf('b04e3260-23b5-4701-ba6a-a7c2d4d37215')).toBeUndefined();
  });

  test('the startup error names the variable when the bucket, access key or secret is wrong', async () => {
    expect(await startupProblems({ ...variables(), S3_BUCKET: 'other-files' })).toMatch(/^S3_BUCKET: /);
    expect(await startupProblems({ ...variables(), S3_ACCESS_KEY_ID: 'test:nobody' })).toMatch(/^S3_ACCESS_KEY_ID, /);
    const secret = randomBytes(8).toString('hex');
    const problem = await startupProblems({ ...variables(), S3_SECRET_ACCESS_KEY: secret });
    expect(problem).toMatch(/^S3_ACCESS_KEY_ID, /);
    expect(problem).not.toContain(secret);
  });

  test('S3BlobStore throws StoreUnavailableError, not BlobMissingError, for an unreachable endpoint or bucket', async () => {
    const store = new S3BlobStore({ ...swift.settings('files'), endpoint: UNREACHABLE_URL });
    const key = 'b04e3260-23b5-4701-ba6a-a7c2d4d37215';
    await expect(store.open(key)).rejects.toThrow(StoreUnavailableError);
    await expect(store.promote(key)).rejects.toThrow(StoreUnavailableError);
    const unknown = new S3BlobStore(swift.settings('other-files'));
    await expect(unknown.open(key)).rejects.toThrow(StoreUnavailableError);
  });
}
