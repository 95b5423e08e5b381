import { validationError } from '@family-watch/domain/kernel/contracts/service-error';

/** A place in a list as the opaque text that a client carries: its sort keys, in their order. */
export function encodeCursor(...keys: readonly (string | number)[]): string {
  return Buffer.from(keys.join('.')).toString('base64url');
}

/**
 * The sort keys of a cursor: what the groups of `form` match in the text that {@link encodeCursor} made.
 *
 * @throws ServiceError VALIDATION_FAILED for a text that no page ended with
 */
export function decodeCursor(cursor: string, form: RegExp): string[] {
  const match = form.exec(Buffer.from(cursor, 'base64url').toString());
  if (match) return match.slice(1);
  throw validationError('cursor', 'isCursor', 'cursor must be the nextCursor of the page before');
}
