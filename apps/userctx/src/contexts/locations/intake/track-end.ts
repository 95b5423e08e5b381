import { isCredible } from '@family-watch/domain/locations/contracts/point-flag';
import type { AssessedPoint } from './point-assessment.js';

/** The times of a child's newest points. Unix milliseconds. */
export interface TrackEnd {
  newestTime: number;
  /** Time of the newest credible point; null if there is none. */
  newestCredibleTime: number | null;
}

/** Returns the track end after `points` are added to the track. `end` is null if the track had no points. */
export function extendTrackEnd(end: TrackEnd | null, points: readonly AssessedPoint[]): TrackEnd {
  let newestTime = end?.newestTime ?? 0;
  let newestCredibleTime = end?.newestCredibleTime ?? null;
  for (const { point, flags } of points) {
    newestTime = Math.max(newestTime, point.positionTime);
    if (isCredible(flags)) newestCredibleTime = Math.max(newestCredibleTime ?? 0, point.positionTime);
  }
  return { newestTime, newestCredibleTime };
}
