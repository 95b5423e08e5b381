import type { Schema } from '@family-watch/client';

/** Returns whether the child has called and nobody has answered. A rejected call was seen. */
export function isMissed({ direction, state }: Pick<Schema<'CallLogEntryDto'>, 'direction' | 'state'>): boolean {
  return direction === 'FROM_WATCH' && (state === 'TIMED_OUT' || state === 'CANCELLED' || state === 'BUSY');
}
