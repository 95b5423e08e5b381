import { isCredible } from '@family-watch/domain/locations/contracts/point-flag';
import type { AssessedPoint } from './point-assessment.js';

/** Up to when there are points of a child. Unix milliseconds. */
export interface TrackEnd {
  newestTime: number;
  /** Of one that can be believed; null while there is none. */
  newestCredibleTime: number | null;
}

/** The end with these points more. `end`: null while there were none. */
export function extendTrackEnd(end: TrackEnd | null, points: readonly AssessedPoint[]): TrackEnd {
  let newestTime = end?.newestTime ?? 0;
  let newestCredibleTime = end?.newestCredibleTime ?? null;
  for (const { point, flags } of points) {
    newestTime = Math.max(newestTime, point.positionTime);
    if (isCredible(flags)) newestCredibleTime = Math.max(newestCredibleTime ?? 0, point.positionTime);
  }
  return { newestTime, newestCredibleTime };
}
