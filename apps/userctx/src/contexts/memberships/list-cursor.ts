import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';

/** Behind which entry a page goes on: when that was made (Unix milliseconds), and its id. */
export interface ListCursor {
  createdAt: number;
  id: string;
}

const FORM = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeListCursor({ createdAt, id }: ListCursor): string {
  return encodeCursor(createdAt, id);
}

/** Undefined for the first page. @throws ServiceError VALIDATION_FAILED */
export function decodeListCursor(cursor: string | undefined): ListCursor | undefined {
  if (cursor === undefined) return undefined;
  const [createdAt, id = ''] = decodeCursor(cursor, FORM);
  return { createdAt: Number(createdAt), id };
}
