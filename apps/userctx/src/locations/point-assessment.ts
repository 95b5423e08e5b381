import {
  isCredible,
  POINT_FLAG,
  type Location,
  type PointFlag,
} from '@family-watch/domain/locations/contracts/location';
import { greatCircleDistance } from './geodesy.js';

/** Maximum lead of a watch's clock over the server's, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 120_000;
/**
 * A time that is further ahead, in milliseconds, says nothing about when the point was measured: a receiver whose count
 * of weeks has overflowed is decades wrong. The service replaces such a time by the time of receipt.
 */
export const MAX_TIME_AHEAD_MS = 86_400_000;
/** Maximum age of a point on receipt. An older point gets the flag LATE. Milliseconds. */
export const LATE_AFTER_MS = 600_000;
/** A point that implies a higher speed gets the flag IMPOSSIBLE_SPEED. Airliners fly slower than this. */
const MAX_SPEED_METRES_PER_SECOND = 320;
/**
 * Metres. A point with a larger accuracy radius gets the flag POOR_ACCURACY. Locations by a rural cell have a smaller
 * radius, locations by IP address have a larger radius.
 */
export const POOR_ACCURACY_RADIUS_METRES = 5_000;
/**
 * Milliseconds. Maximum time between a point and the earlier point from which its speed is computed. After a longer
 * time the child can be anywhere.
 */
export const SPEED_CHECK_WINDOW_MS = 86_400_000;
/**
 * Metres. A point within this distance of latitude 0 and longitude 0 gets the flag NO_FIX, unless the credible point
 * before it is there too. A point at exactly zero always gets it.
 */
const NO_FIX_DISTANCE_METRES = 10_000;
/** Time for which a point of good accuracy is preferred to a newer point of poor accuracy. Milliseconds. */
export const GOOD_POINT_PREFERENCE_MS = 1_800_000;

export interface AssessedPoint {
  point: Location;
  flags: PointFlag[];
}

/**
 * Returns the flags of a point.
 * @param before the last credible point before `point`, or null
 * @param receivedAt Unix milliseconds
 */
export function assessFlags(point: Location, before: Location | null, receivedAt: number): PointFlag[] {
  const flags: PointFlag[] = [];
  if (point.positionTime > receivedAt + CLOCK_TOLERANCE_MS) flags.push(POINT_FLAG.FUTURE);
  if (point.positionTime < receivedAt - LATE_AFTER_MS) flags.push(POINT_FLAG.LATE);
  if (before && isImpossibleSpeed(before, point)) flags.push(POINT_FLAG.IMPOSSIBLE_SPEED);
  if (isZero(point) || (isNearZero(point) && !(before && isNearZero(before)))) flags.push(POINT_FLAG.NO_FIX);
  if (point.radius > POOR_ACCURACY_RADIUS_METRES) flags.push(POINT_FLAG.POOR_ACCURACY);
  return flags;
}

/**
 * Assesses the points of one child in time order. Each point is compared with the nearest credible point before it:
 * either one of `points` or the point that `storedBefore` returns.
 */
export function assessInOrder<Reported extends { point: Location; receivedAt: number; isTimeReplaced?: boolean }>(
  points: readonly Reported[],
  storedBefore: (point: Reported) => Location | null,
): (Reported & AssessedPoint)[] {
  let newestCredible: Location | null = null;
  return points
    .toSorted((a, b) => a.point.positionTime - b.point.positionTime)
    .map((reported) => {
      const before = laterLocation(newestCredible, storedBefore(reported));
      const assessed = assessFlags(reported.point, before, reported.receivedAt);
      const flags = reported.isTimeReplaced ? [POINT_FLAG.FUTURE, ...assessed] : assessed;
      if (isCredible(flags)) newestCredible = reported.point;
      return { ...reported, flags };
    });
}

/**
 * Returns whether the candidate becomes the child's last location. A point that is not credible never becomes the last
 * location, and an older point never replaces a newer point. A point of poor accuracy replaces a point of good accuracy
 * only after {@link GOOD_POINT_PREFERENCE_MS}: then a rough recent location is more useful than an exact old location.
 */
export function supersedes(candidate: AssessedPoint, current: AssessedPoint | null): boolean {
  if (!isCredible(candidate.flags)) return false;
  if (!current) return true;
  const timeAhead = candidate.point.positionTime - current.point.positionTime;
  return hasPoorAccuracy(candidate) && !hasPoorAccuracy(current)
    ? timeAhead >= GOOD_POINT_PREFERENCE_MS
    : timeAhead > 0;
}

/**
 * Returns whether the speed between the points is impossible. Points that are more than
 * {@link SPEED_CHECK_WINDOW_MS} apart are not compared.
 */
export function isImpossibleSpeed(a: Location, b: Location): boolean {
  const isComparable = Math.abs(a.positionTime - b.positionTime) <= SPEED_CHECK_WINDOW_MS;
  return isComparable && isFasterThan(MAX_SPEED_METRES_PER_SECOND, a, b);
}

/**
 * Returns whether the speed between the points is higher than the given speed. The distance is measured between the
 * nearest edges of the two accuracy circles, so that inaccuracy alone never makes a point implausible.
 */
export function isFasterThan(metresPerSecond: number, a: Location, b: Location): boolean {
  const minMetres = greatCircleDistance(a, b) - a.radius - b.radius;
  return minMetres > (metresPerSecond * Math.abs(a.positionTime - b.positionTime)) / 1_000;
}

/** Returns whether the coordinates are exactly zero, which no receiver measures: it has no fix. */
export function isZero({ latitude, longitude }: Location): boolean {
  return Number(latitude) === 0 && Number(longitude) === 0;
}

function isNearZero(point: Location): boolean {
  return greatCircleDistance(point, { latitude: '0', longitude: '0' }) <= NO_FIX_DISTANCE_METRES;
}

function hasPoorAccuracy({ flags }: AssessedPoint): boolean {
  return flags.includes(POINT_FLAG.POOR_ACCURACY);
}

function laterLocation(a: Location | null, b: Location | null): Location | null {
  if (!a || !b) return a ?? b;
  return a.positionTime >= b.positionTime ? a : b;
}

/** Returns the point that becomes the last location if all of them arrive in time order; null if none does. */
export function selectLast<Point extends AssessedPoint>(points: readonly Point[]): Point | null {
  return points
    .toSorted((a, b) => a.point.positionTime - b.point.positionTime)
    .reduce<Point | null>((best, point) => (supersedes(point, best) ? point : best), null);
}

/** The times of a child's newest points. Unix milliseconds. */
export interface NewestPointTimes {
  /** Without points of the future, which say nothing about whether another point is late. */
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
    if (!flags.includes(POINT_FLAG.FUTURE)) newestTime = Math.max(newestTime, point.positionTime);
    if (isCredible(flags)) newestCredibleTime = Math.max(newestCredibleTime ?? 0, point.positionTime);
  }
  return { newestTime, newestCredibleTime };
}
