import { BlobMissingError, StoreFullError, StoreUnavailableError } from '../blob-store.js';

const FULL_DISK_CODES = ['ENOSPC', 'EDQUOT'];
const UNAVAILABLE_CODES = [
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'ENODEV',
  'ENXIO',
  'ESTALE',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
];

export function errorCodeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Converts a file system error to an error of the blob store; returns other errors unchanged. */
export function diskErrorToStoreError(cause: unknown): unknown {
  const code = errorCodeOf(cause);
  if (code === undefined) return cause;
  if (FULL_DISK_CODES.includes(code)) return new StoreFullError({ cause });
  if (UNAVAILABLE_CODES.includes(code)) return new StoreUnavailableError({ cause });
  if (code === 'ENOENT') return new BlobMissingError('The store does not have this blob', { cause });
  return cause;
}

/** Runs file system calls and converts their errors to errors of the blob store. */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskErrorToStoreError(error);
  }
}
