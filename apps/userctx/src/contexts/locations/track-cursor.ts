import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';
import type { TrackPosition } from './location-point.repository.js';

const FORM = /^(\d{1,16})\.(\d)\.(\d{1,16})$/;

/** A place in a track as a client carries it. */
export function encodePosition({ positionTime, pointType, did }: TrackPosition): string {
  return encodeCursor(positionTime, pointType, did);
}

/** @throws ServiceError VALIDATION_FAILED for a text that no page ended with. */
export function decodePosition(cursor: string): TrackPosition {
  const [positionTime = 0, pointType = 0, did = 0] = decodeCursor(cursor, FORM).map(Number);
  return { positionTime, pointType, did };
}
