import { BlobMissingError, StoreFullError, StoreUnavailableError } from '../blob-store.js';

const MISSING_OBJECT_ERRORS = ['NoSuchKey', 'NotFound', 'NoSuchUpload'];
const FULL_STORE_ERRORS = ['QuotaExceeded', 'QuotaExceededException', 'XMinioStorageFull', 'InsufficientStorage'];
const STATUS_INSUFFICIENT_STORAGE = 507;

/** The fields of an error of the SDK that `s3ErrorToStoreError` evaluates. */
interface S3Failure {
  name: string;
  $metadata?: { httpStatusCode?: number };
}

export function s3StatusOf(error: unknown): number | undefined {
  return (error as S3Failure).$metadata?.httpStatusCode;
}

/** Converts an S3 error to BlobMissingError, StoreFullError, or otherwise StoreUnavailableError. */
export function s3ErrorToStoreError(cause: unknown): Error {
  const { name } = cause as S3Failure;
  if (MISSING_OBJECT_ERRORS.includes(name)) return new BlobMissingError('The store does not have this blob', { cause });
  if (FULL_STORE_ERRORS.includes(name) || s3StatusOf(cause) === STATUS_INSUFFICIENT_STORAGE)
    return new StoreFullError({ cause });
  return new StoreUnavailableError({ cause });
}
