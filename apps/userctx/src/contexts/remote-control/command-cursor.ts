import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';

/** Behind which command a page goes on. */
export interface CommandPlace {
  queuedAt: number;
  commandId: string;
}

const FORM = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodePlace({ queuedAt, commandId }: CommandPlace): string {
  return encodeCursor(queuedAt, commandId);
}

/** @throws ServiceError VALIDATION_FAILED */
export function decodePlace(cursor: string): CommandPlace {
  const [queuedAt, commandId = ''] = decodeCursor(cursor, FORM);
  return { queuedAt: Number(queuedAt), commandId };
}
