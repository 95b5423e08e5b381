import type { Environment } from '@family-watch/platform/config/environment';

/** Bucket, endpoint and credentials of the object store. */
export interface S3Settings {
  bucket: string;
  /** URL of the store; when absent, the AWS endpoint of the region is used. */
  endpoint?: string;
  region: string;
  /** Access key; when absent, the SDK uses its default credentials, such as a role or a profile. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  /** Prefix of every object name; empty, or ending in a slash. */
  prefix: string;
  /** Whether URLs have the form `http://host/bucket/name` instead of `http://bucket.host/name`. */
  forcePathStyle: boolean;
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
