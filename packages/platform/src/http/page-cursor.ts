import { validationError } from '@family-watch/domain/kernel/contracts/service-error';

/** Encodes a position in a list, given by its sort keys, as opaque text for clients. */
export function encodeCursor(...keys: readonly (string | number)[]): string {
  return Buffer.from(keys.join('.')).toString('base64url');
}

/**
 * Decodes the sort keys of a cursor: the groups that `format` matches in the text of {@link encodeCursor}.
 *
 * @throws ServiceError VALIDATION_FAILED if the cursor does not match
 */
export function decodeCursor(cursor: string, format: RegExp): string[] {
  const match = format.exec(Buffer.from(cursor, 'base64url').toString());
  if (match) return match.slice(1);
  throw validationError('cursor', 'isCursor', 'cursor must be the nextCursor of the previous page');
}
