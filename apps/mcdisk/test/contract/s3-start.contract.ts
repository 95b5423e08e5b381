import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { EnvironmentError, loadEnvironment } from '@family-watch/platform/config/load-environment';
import { StoreUnavailableError } from '../../src/contexts/blobs/blob-store.js';
import { createBlobStore } from '../../src/contexts/blobs/create-blob-store.js';
import { S3BlobStore } from '../../src/contexts/blobs/s3/s3-blob-store.js';
import type { SwiftServer } from '../support/swift-server.js';

/** An address where no store answers. */
export const NOBODY = 'http://127.0.0.1:1';

/** What a start with these variables complains of, a line each; empty when it succeeds. */
export async function problemsOf(variables: NodeJS.ProcessEnv): Promise<string> {
  try {
    await createBlobStore(loadEnvironment(variables));
    return '';
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems.join('\n');
    throw error;
  }
}

/** How an app opens a store that speaks S3, and what it makes of wrong settings. */
export function s3StartContract(running: () => SwiftServer): void {
  let swift: SwiftServer;
  beforeAll(async () => {
    swift = running();
    await swift.bucket('files');
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

  test('is opened by what the environment says', async () => {
    const store = await createBlobStore(loadEnvironment(variables()));
    expect(store).toBeInstanceOf(S3BlobStore);
    expect(store.pathOf('b04e3260-23b5-4701-ba6a-a7c2d4d37215')).toBeUndefined();
  });

  test('stops the start at a wrong bucket, a wrong key and a wrong secret', async () => {
    expect(await problemsOf({ ...variables(), S3_BUCKET: 'other-files' })).toMatch(/^S3_BUCKET: /);
    expect(await problemsOf({ ...variables(), S3_ACCESS_KEY_ID: 'test:nobody' })).toMatch(/^S3_ACCESS_KEY_ID, /);
    const secret = randomBytes(8).toString('hex');
    const problem = await problemsOf({ ...variables(), S3_SECRET_ACCESS_KEY: secret });
    expect(problem).toMatch(/^S3_ACCESS_KEY_ID, /);
    expect(problem).not.toContain(secret);
  });

  test('a store that is away is no missing blob', async () => {
    const store = new S3BlobStore({ ...swift.settings('files'), endpoint: NOBODY });
    const key = 'b04e3260-23b5-4701-ba6a-a7c2d4d37215';
    await expect(store.open(key)).rejects.toThrow(StoreUnavailableError);
    await expect(store.promote(key)).rejects.toThrow(StoreUnavailableError);
    const unknown = new S3BlobStore(swift.settings('other-files'));
    await expect(unknown.open(key)).rejects.toThrow(StoreUnavailableError);
  });
}
