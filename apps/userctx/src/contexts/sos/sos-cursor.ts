import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';

/** The SOS after which a page continues. */
export interface SosCursor {
  raisedAt: number;
  sosId: string;
}

const CURSOR_PATTERN = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeSosCursor({ raisedAt, sosId }: SosCursor): string {
  return encodeCursor(raisedAt, sosId);
}

/** @throws ServiceError VALIDATION_FAILED */
export function decodeSosCursor(cursor: string): SosCursor {
  const [raisedAt, sosId = ''] = decodeCursor(cursor, CURSOR_PATTERN);
  return { raisedAt: Number(raisedAt), sosId };
}
