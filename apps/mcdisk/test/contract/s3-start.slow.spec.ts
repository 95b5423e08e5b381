import { describe, expect, test } from '@jest/globals';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { readS3Settings } from '../../src/storage/blobs/blob-store-provider.js';
import { UNREACHABLE_URL, startupProblems } from './s3-start.contract.js';

const ACCESS_KEY_VARIABLES = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' };

describe('S3 store configuration', () => {
  test.each([
    [{ S3_BUCKET: 'Not A Bucket' }, 'S3_BUCKET'],
    [{ S3_BUCKET: 'files', S3_ENDPOINT: 'ftp://store' }, 'S3_ENDPOINT'],
    [{ S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'alone' }, 'S3_SECRET_ACCESS_KEY'],
    [{ S3_BUCKET: 'files', S3_SECRET_ACCESS_KEY: 'alone' }, 'S3_ACCESS_KEY_ID'],
    [{ S3_BUCKET: 'files', S3_PREFIX: '/absolute' }, 'S3_PREFIX'],
    [{ S3_BUCKET: 'files', S3_PREFIX: 'a//b' }, 'S3_PREFIX'],
    [{ S3_BUCKET: 'files', S3_FORCE_PATH_STYLE: 'maybe' }, 'S3_FORCE_PATH_STYLE'],
    [{ S3_BUCKET: 'files', S3_REGION: 'no where' }, 'S3_REGION'],
    [{ S3_BUCKET: 'files', S3_ENDPOINT: UNREACHABLE_URL, ...ACCESS_KEY_VARIABLES }, 'S3_ENDPOINT'],
  ])('rejects %j at startup and names the variable %s', async (variables, name) => {
    const problems = await startupProblems(variables);
    expect(problems).toMatch(new RegExp(`^${name}:`, 'm'));
    expect(problems).not.toMatch(/alone|secret/);
  });

  test('uses the defaults of AWS without an endpoint, and other defaults when an endpoint is set', () => {
    expect(readS3Settings(loadEnvironment({}))).toBeUndefined();
    expect(readS3Settings(loadEnvironment({ S3_BUCKET: 'files' }))).toEqual({
      bucket: 'files',
      region: 'us-east-1',
      prefix: '',
      forcePathStyle: false,
    });
    const variables = {
      S3_BUCKET: 'files',
      S3_ENDPOINT: UNREACHABLE_URL,
      S3_PREFIX: 'family/cloud',
      ...ACCESS_KEY_VARIABLES,
    };
    expect(readS3Settings(loadEnvironment(variables))).toEqual({
      bucket: 'files',
      endpoint: UNREACHABLE_URL,
      region: 'us-east-1',
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
      prefix: 'family/cloud/',
      forcePathStyle: true,
    });
  });
});
