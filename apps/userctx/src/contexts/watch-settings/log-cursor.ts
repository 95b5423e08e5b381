import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';

/** A place in a log that is read from its newest entry on: the time by the watch (Unix milliseconds), and the id. */
export interface LogCursor {
  time: number;
  id: string;
}

/** Before the newest entry. */
const LOG_CURSOR_START: LogCursor = { time: Number.MAX_SAFE_INTEGER, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

const FORM = /^(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeLogCursor({ time, id }: LogCursor): string {
  return encodeCursor(time, id);
}

/** @throws ServiceError VALIDATION_FAILED for a text that no page ended with. */
export function decodeLogCursor(cursor: string | undefined): LogCursor {
  if (cursor === undefined) return LOG_CURSOR_START;
  const [time = '', id = ''] = decodeCursor(cursor, FORM);
  return { time: Number(time), id };
}
