import type { TimeCursor } from '@family-watch/platform/http/page-cursor';

/** The logs of calls and early exits are retained as long as chat messages: 90 days, in milliseconds. */
export const WATCH_LOG_RETENTION_MS = 90 * 86_400_000;

/** The position before the newest entry of a log. */
export const LOG_START: TimeCursor = { time: Number.MAX_SAFE_INTEGER, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
