import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';
import type { FenceEventCursor } from './fence-event.repository.js';

const CURSOR_PATTERN = /^(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeFenceEventCursor({ time, fenceEventId }: FenceEventCursor): string {
  return encodeCursor(time, fenceEventId);
}

/** @throws ServiceError VALIDATION_FAILED */
export function decodeFenceEventCursor(cursor: string): FenceEventCursor {
  const [time, fenceEventId = ''] = decodeCursor(cursor, CURSOR_PATTERN);
  return { time: Number(time), fenceEventId };
}
