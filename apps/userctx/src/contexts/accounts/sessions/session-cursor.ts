import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';
import type { SessionCursor } from './session.repository.js';

const CURSOR_PATTERN = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Encodes a position in the session list. */
export function encodeSessionCursor({ createdAt, sessionId }: SessionCursor): string {
  return encodeCursor(createdAt, sessionId);
}

/** @throws ServiceError VALIDATION_FAILED */
export function decodeSessionCursor(cursor: string): SessionCursor {
  const [createdAt, sessionId = ''] = decodeCursor(cursor, CURSOR_PATTERN);
  return { createdAt: Number(createdAt), sessionId };
}
