import { validationError } from '@family-watch/domain/kernel/contracts/service-error';
import { decodeCursor } from '@family-watch/platform/database/page-cursor';
import type { StoredPoint } from './stored-point.js';

const CURSOR_PATTERN = /^(\d{1,16})\.(\d)\.(\d{1,16})$/;

/** Position in a track: the page continues after this point. */
export interface TrackCursor {
  positionTime: number;
  pointType: number;
  did: number;
}

/** @throws ServiceError VALIDATION_FAILED for an invalid cursor */
export function decodeTrackCursor(cursor: string): TrackCursor {
  const [positionTime = 0, pointType = 0, did = 0] = decodeCursor(cursor, CURSOR_PATTERN).map(Number);
  return { positionTime, pointType, did };
}

/** Returns whether the point comes after the cursor in track order. */
export function isAfterCursor(cursor: TrackCursor | undefined, { point, did }: StoredPoint): boolean {
  if (!cursor) return true;
  const { positionTime, pointType } = point;
  return (positionTime - cursor.positionTime || pointType - cursor.pointType || did - cursor.did) > 0;
}

const HOUR_MS = 3_600_000;

/** A period from `from` (inclusive) to `to` (exclusive), Unix milliseconds. */
export interface Period {
  from: number;
  to: number;
}

/**
 * Checks that a period is not empty and not too long.
 * @param maxHours - maximum length of the period
 * @throws ServiceError VALIDATION_FAILED otherwise
 */
export function assertPeriod({ from, to }: Period, maxHours = Infinity): void {
  if (to <= from) throw validationError('to', 'isAfterFrom', 'to must be later than from');
  if (to - from > maxHours * HOUR_MS)
    throw validationError('to', 'isNearFrom', `to must be at most ${maxHours} hours after from`);
}
