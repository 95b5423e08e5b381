import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';

/** The logs of calls and early exits are retained as long as chat messages: 90 days, in milliseconds. */
export const WATCH_LOG_RETENTION_MS = 90 * 86_400_000;

/** Position in a log that is read from its newest entry: the watch's time (Unix milliseconds) and the entry's id. */
export interface LogCursor {
  time: number;
  id: string;
}

/** The position before the newest entry of a log. */
const LOG_CURSOR_START: LogCursor = { time: Number.MAX_SAFE_INTEGER, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

const CURSOR_PATTERN = /^(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeLogCursor({ time, id }: LogCursor): string {
  return encodeCursor(time, id);
}

/** @throws ServiceError VALIDATION_FAILED for an invalid cursor. */
export function decodeLogCursor(cursor: string | undefined): LogCursor {
  if (cursor === undefined) return LOG_CURSOR_START;
  const [time = '', id = ''] = decodeCursor(cursor, CURSOR_PATTERN);
  return { time: Number(time), id };
}
