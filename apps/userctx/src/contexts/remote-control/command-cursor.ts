import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';

/** The command after which a page continues. */
export interface CommandCursor {
  queuedAt: number;
  commandId: string;
}

const CURSOR_PATTERN = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeCommandCursor({ queuedAt, commandId }: CommandCursor): string {
  return encodeCursor(queuedAt, commandId);
}

/** @throws ServiceError VALIDATION_FAILED */
export function decodeCommandCursor(cursor: string): CommandCursor {
  const [queuedAt, commandId = ''] = decodeCursor(cursor, CURSOR_PATTERN);
  return { queuedAt: Number(queuedAt), commandId };
}
