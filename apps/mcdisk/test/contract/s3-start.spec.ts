import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EnvironmentError, loadEnvironment } from '@family-watch/platform/config/load-environment';
import { StoreUnavailableError } from '../../src/contexts/blobs/blob-store.js';
import { openBlobStore } from '../../src/contexts/blobs/open-blob-store.js';
import { S3BlobStore } from '../../src/contexts/blobs/s3/s3-blob-store.js';
import { s3SettingsOf } from '../../src/contexts/blobs/s3/s3-settings.js';
import { hasSwift, SwiftServer } from '../support/swift-server.js';

const NOBODY = 'http://127.0.0.1:1';
const KEY = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' };

async function problemsOf(variables: NodeJS.ProcessEnv): Promise<string> {
  try {
    await openBlobStore(loadEnvironment(variables));
    return '';
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems.join('\n');
    throw error;
  }
}

describe('the configuration of an S3 store', () => {
  test.each([
    [{ S3_BUCKET: 'Not A Bucket' }, 'S3_BUCKET'],
    [{ S3_BUCKET: 'files', S3_ENDPOINT: 'ftp://store' }, 'S3_ENDPOINT'],
    [{ S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'alone' }, 'S3_SECRET_ACCESS_KEY'],
    [{ S3_BUCKET: 'files', S3_SECRET_ACCESS_KEY: 'alone' }, 'S3_ACCESS_KEY_ID'],
    [{ S3_BUCKET: 'files', S3_PREFIX: '/absolute' }, 'S3_PREFIX'],
    [{ S3_BUCKET: 'files', S3_PREFIX: 'a//b' }, 'S3_PREFIX'],
    [{ S3_BUCKET: 'files', S3_FORCE_PATH_STYLE: 'maybe' }, 'S3_FORCE_PATH_STYLE'],
    [{ S3_BUCKET: 'files', S3_REGION: 'no where' }, 'S3_REGION'],
    [{ S3_BUCKET: 'files', S3_ENDPOINT: NOBODY, ...KEY }, 'S3_ENDPOINT'],
  ])('%j is refused by the name of the variable', async (variables, name) => {
    const problems = await problemsOf(variables);
    expect(problems).toMatch(new RegExp(`^${name}:`, 'm'));
    expect(problems).not.toMatch(/alone|secret/);
  });

  test('has defaults that suit Amazon, and others where an address is given', () => {
    expect(s3SettingsOf(loadEnvironment({}))).toBeUndefined();
    expect(s3SettingsOf(loadEnvironment({ S3_BUCKET: 'files' }))).toEqual({
      bucket: 'files',
      region: 'us-east-1',
      prefix: '',
      forcePathStyle: false,
    });
    const variables = { S3_BUCKET: 'files', S3_ENDPOINT: NOBODY, S3_PREFIX: 'family/cloud', ...KEY };
    expect(s3SettingsOf(loadEnvironment(variables))).toEqual({
      bucket: 'files',
      endpoint: NOBODY,
      region: 'us-east-1',
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
      prefix: 'family/cloud/',
      forcePathStyle: true,
    });
  });
});

(hasSwift ? describe : describe.skip)(hasSwift ? 'Swift’s S3' : 'Swift’s S3: not installed, not run', () => {
  let swift: SwiftServer;
  beforeAll(async () => {
    swift = await SwiftServer.start();
    await swift.bucket('files');
  }, 270_000);
  afterAll(() => swift.stop());

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
    const store = await openBlobStore(loadEnvironment(variables()));
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
});
