import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import { S3Bucket } from './s3-bucket.js';
import { s3StatusOf } from './s3-error.js';
import type { S3Settings } from './s3-settings.js';

/**
 * Checks that the bucket exists and can be used, so that a wrong bucket name or access key is detected at startup and
 * not at the first upload.
 * @throws EnvironmentError with the name of the environment variable to check
 */
export async function verifyBucket(settings: S3Settings): Promise<void> {
  const bucket = new S3Bucket(settings);
  try {
    await bucket.checkAccess();
  } catch (error) {
    throw new EnvironmentError([describeProblem(error, settings)]);
  } finally {
    bucket.close();
  }
}

function describeProblem(error: unknown, { endpoint, region }: S3Settings): string {
  switch (s3StatusOf(error)) {
    case 404:
      return 'S3_BUCKET: the store has no bucket of this name';
    case 401:
    case 403:
      return 'S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: the store refuses them, or they do not open S3_BUCKET';
    case 301:
    case 400:
      return `S3_REGION: the store answers that ${region} is not where S3_BUCKET is`;
    default: {
      const { name, message } = error as Error;
      return `S3_ENDPOINT: ${endpoint ?? 'the store'} does not answer as an S3 store does (${name}: ${message})`;
    }
  }
}
