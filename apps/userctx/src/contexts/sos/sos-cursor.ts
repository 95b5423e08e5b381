import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';

/** Behind which call for help a page goes on. */
export interface SosCursor {
  raisedAt: number;
  sosId: string;
}

const FORM = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeSosCursor({ raisedAt, sosId }: SosCursor): string {
  return encodeCursor(raisedAt, sosId);
}

/** @throws ServiceError VALIDATION_FAILED */
export function decodeSosCursor(cursor: string): SosCursor {
  const [raisedAt, sosId = ''] = decodeCursor(cursor, FORM);
  return { raisedAt: Number(raisedAt), sosId };
}
