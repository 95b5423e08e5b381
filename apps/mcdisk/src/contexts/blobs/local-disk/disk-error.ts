import { BlobMissingError, StoreFullError, StoreUnavailableError } from '../blob-store.js';

const FULL = ['ENOSPC', 'EDQUOT'];
const AWAY = ['EIO', 'EROFS', 'EACCES', 'EPERM', 'ENODEV', 'ENXIO', 'ESTALE', 'EMFILE', 'ENFILE', 'ENOMEM'];

export function errorCodeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** What a failed call to the file system means to whoever uses the store; anything else stays as it is. */
export function diskErrorToStoreError(cause: unknown): unknown {
  const code = errorCodeOf(cause);
  if (code === undefined) return cause;
  if (FULL.includes(code)) return new StoreFullError({ cause });
  if (AWAY.includes(code)) return new StoreUnavailableError({ cause });
  if (code === 'ENOENT') return new BlobMissingError('The store does not have this blob', { cause });
  return cause;
}

/** Runs calls to the file system, and gives their failures the names of the port. */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskErrorToStoreError(error);
  }
}
