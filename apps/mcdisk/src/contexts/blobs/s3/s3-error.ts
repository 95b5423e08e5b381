import { BlobMissingError, StoreFullError, StoreUnavailableError } from '../blob-store.js';

const MISSING = ['NoSuchKey', 'NotFound', 'NoSuchUpload'];
const FULL = ['QuotaExceeded', 'QuotaExceededException', 'XMinioStorageFull', 'InsufficientStorage'];
const INSUFFICIENT_STORAGE = 507;

/** What the SDK tells about a failed request. */
interface S3Failure {
  name: string;
  $metadata?: { httpStatusCode?: number };
}

export function s3StatusOf(error: unknown): number | undefined {
  return (error as S3Failure).$metadata?.httpStatusCode;
}

/** What a failed request means to whoever uses the store: gone, full, or else away. */
export function s3ErrorToStoreError(cause: unknown): Error {
  const { name } = cause as S3Failure;
  if (MISSING.includes(name)) return new BlobMissingError('The store does not have this blob', { cause });
  if (FULL.includes(name) || s3StatusOf(cause) === INSUFFICIENT_STORAGE) return new StoreFullError({ cause });
  return new StoreUnavailableError({ cause });
}
