import { isCredible } from '@family-watch/domain/locations/contracts/location';
import type { AssessedPoint } from './point-assessment.js';

/** The times of a child's newest points. Unix milliseconds. */
export interface NewestPointTimes {
  newestTime: number;
  /** Time of the newest credible point; null if there is none. */
  newestCredibleTime: number | null;
}

/** Returns the times after `points` are added to the track. `before` is null if the track had no points. */
export function updateNewestPointTimes(
  before: NewestPointTimes | null,
  points: readonly AssessedPoint[],
): NewestPointTimes {
  let newestTime = before?.newestTime ?? 0;
  let newestCredibleTime = before?.newestCredibleTime ?? null;
  for (const { point, flags } of points) {
    newestTime = Math.max(newestTime, point.positionTime);
    if (isCredible(flags)) newestCredibleTime = Math.max(newestCredibleTime ?? 0, point.positionTime);
  }
  return { newestTime, newestCredibleTime };
}
