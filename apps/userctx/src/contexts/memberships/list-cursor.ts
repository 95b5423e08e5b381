import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';

/** The entry after which a page continues: its creation time (Unix milliseconds) and id. */
export interface ListCursor {
  createdAt: number;
  id: string;
}

const CURSOR_PATTERN = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeListCursor({ createdAt, id }: ListCursor): string {
  return encodeCursor(createdAt, id);
}

/**
 * Returns undefined without a cursor, for the first page.
 * @throws ServiceError VALIDATION_FAILED
 */
export function decodeListCursor(cursor: string | undefined): ListCursor | undefined {
  if (cursor === undefined) return undefined;
  const [createdAt, id = ''] = decodeCursor(cursor, CURSOR_PATTERN);
  return { createdAt: Number(createdAt), id };
}
