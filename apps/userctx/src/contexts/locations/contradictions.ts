import { isCredible, POINT_FLAG, POINT_TYPE } from '@family-watch/domain/locations/contracts/location';
import type { Location, PointFlag, PointType } from '@family-watch/domain/locations/contracts/location';
import { isFasterThan, isImpossibleSpeed } from './point-assessment.js';
import type { AssessedPoint } from './point-assessment.js';

/** Minimum number of points that together overrule others, and minimum time between the first and the last of them. */
const MIN_OVERRULING_POINTS = 3;
const MIN_OVERRULING_PERIOD_MS = 120_000;

/**
 * Points agree if they are at most this long apart and a child can have moved from one to the other. The fastest trains
 * are as fast.
 */
const MAX_AGREEMENT_INTERVAL_MS = 3_600_000;
const MAX_GROUND_SPEED_METRES_PER_SECOND = 90;

/** Maximum number of groups of points of one child that are compared with others in a batch of reports. */
const MAX_COMPARISONS = 10;

/** A point overrules only points of types with the same or a lower rank. */
const TYPE_RANKS: Readonly<Record<PointType, number>> = {
  [POINT_TYPE.GPS]: 3,
  [POINT_TYPE.WIFI]: 2,
  [POINT_TYPE.CELL]: 1,
  [POINT_TYPE.IP]: 0,
  [POINT_TYPE.UNKNOWN]: 0,
};

/** Flags that other points set and remove. The other flags depend on the point alone or on a guardian. */
const CONTRADICTION_FLAGS: readonly PointFlag[] = [POINT_FLAG.IMPOSSIBLE_SPEED, POINT_FLAG.NO_FIX];

/**
 * Decides which of the points that contradict each other are credible. Two points contradict each other if the speed
 * between them is impossible. Points that agree with each other overrule the points that contradict them if they are
 * more, at least {@link MIN_OVERRULING_POINTS}, cover {@link MIN_OVERRULING_PERIOD_MS} and are of the same or a better
 * type: only GPS points overrule GPS points.
 * @param track - points of one child in time order, with their flags until now
 * @param added - the points of the track that were not considered before
 * @returns the points whose flags change, with their new flags
 */
export function resolveContradictions<Point extends AssessedPoint>(
  track: readonly Point[],
  added: readonly Point[],
): Map<Point, PointFlag[]> {
  const changes = new Map<Point, PointFlag[]>();
  const flagsOf = (one: Point): readonly PointFlag[] => changes.get(one) ?? one.flags;
  const candidates = track.filter((one) => canBeCredible(one));
  const credibleAmong = (points: readonly Point[]) => points.filter((one) => isCredible(flagsOf(one)));
  /** Points that did not overrule others together. They are not compared again for each of them. */
  const inferior = new Set<Point>();
  let comparisons = 0;
  /** Flags the points that contradict `point` and its group if the group overrules them. */
  const defend = (point: Point): void => {
    if (inferior.has(point) || comparisons === MAX_COMPARISONS) return;
    const agreeing = agreeingWith(point, candidates);
    if (!areEnough(agreeing)) return;
    comparisons += 1;
    const opposed = contradicting(agreeing, credibleAmong(track));
    if (!overrule(agreeing, opposed)) {
      for (const one of agreeing) inferior.add(one);
      return;
    }
    for (const one of opposed) changes.set(one, withImpossibleSpeed(flagsOf(one)));
    for (const one of agreeing.filter((other) => !isCredible(flagsOf(other))))
      changes.set(one, withoutContradictionFlags(flagsOf(one)));
    inferior.clear();
  };
  for (const point of added) {
    if (!isCredible(flagsOf(point))) {
      if (canBeCredible(point)) defend(point);
      continue;
    }
    // A late point can contradict a later point, with which it was not compared yet.
    const next = credibleAmong(track).find((one) => isLater(one, point) && contradict(one, point));
    if (!next) continue;
    if (overrule(agreeingWith(next, candidates), [point])) changes.set(point, withImpossibleSpeed(flagsOf(point)));
    else defend(point);
  }
  return changes;
}

/** Returns whether another point makes the point not credible. */
export function isContradicted({ flags }: AssessedPoint): boolean {
  return flags.some((flag) => CONTRADICTION_FLAGS.includes(flag));
}

/** Returns whether the point is credible unless other points contradict it. */
function canBeCredible({ point, flags }: AssessedPoint): boolean {
  // A receiver never measures exactly zero: however often it reports zero, it has no fix.
  const hasCoordinates = Number(point.latitude) !== 0 || Number(point.longitude) !== 0;
  return hasCoordinates && isCredible(withoutContradictionFlags(flags));
}

/** Returns the point and, in time order, the candidates before and after it of which each agrees with the next one. */
function agreeingWith<Point extends AssessedPoint>(point: Point, candidates: readonly Point[]): Point[] {
  const collect = (others: readonly Point[]): Point[] => {
    let last = point;
    return others.filter((one) => {
      if (!agree(one.point, last.point) || contradict(one, point)) return false;
      last = one;
      return true;
    });
  };
  const index = candidates.indexOf(point);
  const before = collect(candidates.slice(0, index).toReversed()).toReversed();
  return [...before, point, ...collect(candidates.slice(index + 1))];
}

function contradicting<Point extends AssessedPoint>(points: readonly Point[], candidates: readonly Point[]): Point[] {
  const isOne = new Set(points);
  return candidates.filter((other) => !isOne.has(other) && points.some((one) => contradict(other, one)));
}

function overrule(agreeing: readonly AssessedPoint[], opposed: readonly AssessedPoint[]): boolean {
  const needsGps = agreeing.some(({ flags }) => flags.includes(POINT_FLAG.NO_FIX));
  const minRank = Math.max(needsGps ? TYPE_RANKS[POINT_TYPE.GPS] : 0, ...opposed.map(rankOf));
  const voters = agreeing.filter((one) => rankOf(one) >= minRank);
  const lowestRank = Math.min(...voters.map(rankOf));
  return areEnough(voters) && voters.length > opposed.filter((one) => rankOf(one) >= lowestRank).length;
}

function areEnough(points: readonly AssessedPoint[]): boolean {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < MIN_OVERRULING_POINTS) return false;
  return last.point.positionTime - first.point.positionTime >= MIN_OVERRULING_PERIOD_MS;
}

function agree(a: Location, b: Location): boolean {
  const isNear = Math.abs(a.positionTime - b.positionTime) <= MAX_AGREEMENT_INTERVAL_MS;
  return isNear && !isFasterThan(MAX_GROUND_SPEED_METRES_PER_SECOND, a, b);
}

function contradict(a: AssessedPoint, b: AssessedPoint): boolean {
  return isImpossibleSpeed(a.point, b.point);
}

function isLater(a: AssessedPoint, b: AssessedPoint): boolean {
  return a.point.positionTime > b.point.positionTime;
}

function rankOf({ point }: AssessedPoint): number {
  return TYPE_RANKS[point.pointType];
}

function withImpossibleSpeed(flags: readonly PointFlag[]): PointFlag[] {
  return Object.values(POINT_FLAG).filter((flag) => flags.includes(flag) || flag === POINT_FLAG.IMPOSSIBLE_SPEED);
}

function withoutContradictionFlags(flags: readonly PointFlag[]): PointFlag[] {
  return flags.filter((flag) => !CONTRADICTION_FLAGS.includes(flag));
}
