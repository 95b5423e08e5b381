import type { Location } from '@family-watch/domain/locations/contracts/location';
import { isCredible, POINT_FLAG } from '@family-watch/domain/locations/contracts/point-flag';
import type { PointFlag } from '@family-watch/domain/locations/contracts/point-flag';
import { greatCircleDistance } from './geodesy.js';

/** How far a watch's clock may be ahead of ours. Milliseconds. */
export const CLOCK_TOLERANCE_MS = 120_000;
/** From this age on a point is late. Milliseconds. */
export const LATE_AFTER_MS = 600_000;
/** Metres a second: faster than any airliner. */
const MAX_SPEED = 320;
/** Metres; a cell in the country is smaller, a guess by network address is larger. */
export const POOR_ACCURACY_RADIUS_METRES = 5_000;
/** Further back, a point says nothing about where somebody can be now. Milliseconds. */
export const SPEED_CHECK_WINDOW_MS = 86_400_000;
/** For how long a good point says more than a newer one of poor accuracy. Milliseconds. */
export const GOOD_POINT_PREFERENCE_MS = 1_800_000;

export interface AssessedPoint {
  point: Location;
  flags: PointFlag[];
}

/**
 * What is doubtful about a point.
 * @param before the last point before it in time that can be believed, if there is one
 * @param receivedAt Unix milliseconds
 */
export function assessFlags(point: Location, before: Location | null, receivedAt: number): PointFlag[] {
  const flags: PointFlag[] = [];
  if (point.positionTime > receivedAt + CLOCK_TOLERANCE_MS) flags.push(POINT_FLAG.FUTURE);
  if (point.positionTime < receivedAt - LATE_AFTER_MS) flags.push(POINT_FLAG.LATE);
  if (before && isImpossible(before, point)) flags.push(POINT_FLAG.IMPOSSIBLE_SPEED);
  if (point.radius > POOR_ACCURACY_RADIUS_METRES) flags.push(POINT_FLAG.POOR_ACCURACY);
  return flags;
}

/**
 * Judges the points of one child in the order of their times, each against the nearest credible one before it: one of
 * them, or what `storedBefore` says of it.
 */
export function assessInOrder<Reported extends { point: Location; receivedAt: number }>(
  points: readonly Reported[],
  storedBefore: (point: Reported) => Location | null,
): (Reported & AssessedPoint)[] {
  let newest: Location | null = null;
  return points
    .toSorted((a, b) => a.point.positionTime - b.point.positionTime)
    .map((reported) => {
      const flags = assessFlags(reported.point, later(newest, storedBefore(reported)), reported.receivedAt);
      if (isCredible(flags)) newest = reported.point;
      return { ...reported, flags };
    });
}

/**
 * Does this point become the child's last location? One that is not credible never does, an older one never
 * replaces a newer, and one of poor accuracy replaces a good one only once that has grown old: a rough place of now
 * helps more than an exact one of an hour ago.
 */
export function supersedes(candidate: AssessedPoint, current: AssessedPoint | null): boolean {
  if (!isCredible(candidate.flags)) return false;
  if (!current) return true;
  const newer = candidate.point.positionTime - current.point.positionTime;
  return isPoor(candidate) && !isPoor(current) ? newer >= GOOD_POINT_PREFERENCE_MS : newer > 0;
}

/** The circles in which the two fixes lie are taken at their nearest: the doubt is the watch's benefit. */
function isImpossible(from: Location, to: Location): boolean {
  const elapsed = to.positionTime - from.positionTime;
  if (elapsed < 0 || elapsed > SPEED_CHECK_WINDOW_MS) return false;
  const covered = greatCircleDistance(from, to) - from.radius - to.radius;
  return covered > (MAX_SPEED * elapsed) / 1_000;
}

function isPoor({ flags }: AssessedPoint): boolean {
  return flags.includes(POINT_FLAG.POOR_ACCURACY);
}

function later(a: Location | null, b: Location | null): Location | null {
  if (!a || !b) return a ?? b;
  return a.positionTime >= b.positionTime ? a : b;
}
