import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';
import type { StoredPoint } from '../point-row.js';

const FORM = /^(\d{1,16})\.(\d)\.(\d{1,16})$/;

/** Where a page of a track goes on: behind this point. */
export interface TrackCursor {
  positionTime: number;
  pointType: number;
  did: number;
}

/** A place in a track as a client carries it. */
export function encodeTrackCursor({ positionTime, pointType, did }: TrackCursor): string {
  return encodeCursor(positionTime, pointType, did);
}

/** @throws ServiceError VALIDATION_FAILED for a text that no page ended with. */
export function decodeTrackCursor(cursor: string): TrackCursor {
  const [positionTime = 0, pointType = 0, did = 0] = decodeCursor(cursor, FORM).map(Number);
  return { positionTime, pointType, did };
}

/** Does the point come after this place, in the order of a track? */
export function isAfterCursor(place: TrackCursor | undefined, { point, did }: StoredPoint): boolean {
  if (!place) return true;
  const { positionTime, pointType } = point;
  return (positionTime - place.positionTime || pointType - place.pointType || did - place.did) > 0;
}
