import { DEFAULT_PAGE_LIMIT, type Page } from '@family-watch/domain/kernel/contracts/pagination';
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

/** Position in a list that is ordered by a time (Unix milliseconds) and an id. */
export interface TimeCursor {
  time: number;
  id: string;
}

const TIME_CURSOR_PATTERN = /^(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Decodes a cursor that encodes a time and an id. Returns undefined for the first page, which has no cursor.
 *
 * @throws ServiceError VALIDATION_FAILED if the cursor does not match
 */
export function decodeTimeCursor(cursor: string | undefined): TimeCursor | undefined {
  if (cursor === undefined) return undefined;
  const [time, id = ''] = decodeCursor(cursor, TIME_CURSOR_PATTERN);
  return { time: Number(time), id };
}

/** A requested page of a list that is ordered by a time and an id: at most `limit` items after the position `after`. */
export interface TimePageRequest {
  after: TimeCursor | undefined;
  limit: number;
}

/**
 * Returns the page that a query requests.
 *
 * @throws ServiceError VALIDATION_FAILED if the cursor does not match
 */
export function decodeTimePage(query: { cursor?: string; limit?: number }): TimePageRequest {
  return { after: decodeTimeCursor(query.cursor), limit: query.limit ?? DEFAULT_PAGE_LIMIT };
}

/**
 * Returns a page with the first `limit` items of `found`. Callers query one item more than `limit`: if `found` contains
 * it, there is a further page.
 */
export function toPage<Item>(
  found: readonly Item[],
  limit: number,
  keysOf: (item: Item) => readonly (string | number)[],
): Page<Item> {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last ? encodeCursor(...keysOf(last)) : null };
}
