import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';
import type { StoredPoint } from '../point-row.js';

const CURSOR_PATTERN = /^(\d{1,16})\.(\d)\.(\d{1,16})$/;

/** Position in a track: the page continues after this point. */
export interface TrackCursor {
  positionTime: number;
  pointType: number;
  did: number;
}

/** Encodes a cursor for the client. */
export function encodeTrackCursor({ positionTime, pointType, did }: TrackCursor): string {
  return encodeCursor(positionTime, pointType, did);
}

/** @throws ServiceError VALIDATION_FAILED for an invalid cursor. */
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
