import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { TrackPosition } from './location-point.repository.js';

/** A place in a track as opaque text. */
export function encodeCursor({ positionTime, pointType, did }: TrackPosition): string {
  return Buffer.from(`${positionTime}.${pointType}.${did}`).toString('base64url');
}

/** @throws ServiceError VALIDATION_FAILED for a text that no page ended with. */
export function decodeCursor(cursor: string): TrackPosition {
  const match = /^(\d{1,16})\.(\d)\.(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString());
  const [positionTime, pointType, did] = (match ?? []).slice(1).map(Number);
  if (positionTime !== undefined && pointType !== undefined && did !== undefined)
    return { positionTime, pointType, did };
  throw new ServiceError('VALIDATION_FAILED', {
    details: [{ field: 'cursor', rule: 'isCursor', message: 'cursor must be the nextCursor of a page before' }],
  });
}
