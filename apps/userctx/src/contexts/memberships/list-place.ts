import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';

/** Behind which entry a page goes on: when that was made (Unix milliseconds), and its id. */
export interface ListPlace {
  createdAt: number;
  id: string;
}

const FORM = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodePlace({ createdAt, id }: ListPlace): string {
  return encodeCursor(createdAt, id);
}

/** Undefined for the first page. @throws ServiceError VALIDATION_FAILED */
export function decodePlace(cursor: string | undefined): ListPlace | undefined {
  if (cursor === undefined) return undefined;
  const [createdAt, id = ''] = decodeCursor(cursor, FORM);
  return { createdAt: Number(createdAt), id };
}
