import {
  isCredible,
  POINT_FLAG,
  POINT_TYPE,
  type PointFlag,
  type PointType,
} from '@family-watch/domain/locations/contracts/location';
import { isFasterThan, isImpossibleSpeed, isZero, type AssessedPoint } from './point-assessment.js';

/** Minimum number of points that together overrule others, and minimum time between the first and the last of them. */
const MIN_OVERRULING_POINTS = 3;
const MIN_OVERRULING_PERIOD_MS = 120_000;

/**
 * Points agree if they are at most this long apart and a child can have moved from one to the other. The fastest trains
 * are as fast.
 */
export const MAX_AGREEMENT_INTERVAL_MS = 3_600_000;
const MAX_GROUND_SPEED_METRES_PER_SECOND = 90;

/**
 * Maximum number of groups of points of one child that are compared with others in a batch of reports. The points of
 * further groups keep their flags, so that the reports of one watch do not delay others.
 */
const MAX_COMPARISONS = 20;

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
  const isCredibleNow = (one: Point): boolean => isCredible(changes.get(one) ?? one.flags);
  const setFlags = (one: Point, change: (flags: readonly PointFlag[]) => PointFlag[]): void => {
    changes.set(one, change(changes.get(one) ?? one.flags));
  };
  const candidates = track.filter(canBeCredible);
  const indexes = new Map(candidates.map((point, index) => [point, index]));
  const agreeingWith = (point: Point): Point[] => groupAround(candidates, indexes.get(point) ?? 0);
  const nextCredible = (point: Point): Point | undefined => {
    let index = indexes.get(point) ?? 0;
    for (let one = candidates[index]; one; one = candidates[index]) {
      if (isLater(one, point) && isCredibleNow(one)) return one;
      index += 1;
    }
    return undefined;
  };
  /** Points that did not overrule others together. They are not compared again for each of them. */
  const inferior = new Set<Point>();
  let comparisons = 0;
  /** Flags the points that contradict `point` and its group if the group overrules them. */
  const defend = (point: Point): void => {
    if (inferior.has(point) || comparisons === MAX_COMPARISONS) return;
    comparisons += 1;
    const agreeing = agreeingWith(point);
    const opposed = contradicting(agreeing, candidates.filter(isCredibleNow));
    if (!overrule(agreeing, opposed)) {
      for (const one of agreeing) inferior.add(one);
      return;
    }
    for (const one of opposed) setFlags(one, withImpossibleSpeed);
    for (const one of agreeing) if (!isCredibleNow(one)) setFlags(one, withoutContradictionFlags);
    inferior.clear();
  };
  for (const point of added) {
    if (!indexes.has(point)) continue;
    // A late point can contradict the next point, with which it was not compared yet.
    const next = isCredibleNow(point) ? nextCredible(point) : undefined;
    if (next && contradict(point, next) && overrule(agreeingWith(next), [point])) setFlags(point, withImpossibleSpeed);
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
  return !isZero(point) && isCredible(withoutContradictionFlags(flags));
}

/** Returns the candidate and those before and after it, in time order, of which each agrees with the next one. */
function groupAround<Point extends AssessedPoint>(candidates: readonly Point[], index: number): Point[] {
  const point = candidates[index];
  if (!point) return [];
  const collect = (step: 1 | -1): Point[] => {
    const group: Point[] = [];
    let last = point;
    for (let next = index + step; ; next += step) {
      const one = candidates[next];
      if (!one || timeBetween(one, last) > MAX_AGREEMENT_INTERVAL_MS) return group;
      if (!agree(one, last) || contradict(one, point)) continue;
      group.push(one);
      last = one;
    }
  };
  return [...collect(-1).toReversed(), point, ...collect(1)];
}

/** Returns the candidates that contradict the group's point before or after them. Both lists are in time order. */
function contradicting<Point extends AssessedPoint>(group: readonly Point[], candidates: readonly Point[]): Point[] {
  const isInGroup = new Set(group);
  let after = 0;
  return candidates.filter((candidate) => {
    for (let one = group[after]; one && !isLater(one, candidate); one = group[after]) after += 1;
    if (isInGroup.has(candidate)) return false;
    return [group[after - 1], group[after]].some((one) => one !== undefined && contradict(one, candidate));
  });
}

function overrule(agreeing: readonly AssessedPoint[], opposed: readonly AssessedPoint[]): boolean {
  // The point that an impossible speed was computed from may be out of reach. Then the group does not know its opponent.
  if (opposed.length === 0 && agreeing.some(({ flags }) => flags.includes(POINT_FLAG.IMPOSSIBLE_SPEED))) return false;
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

function agree(a: AssessedPoint, b: AssessedPoint): boolean {
  return !isFasterThan(MAX_GROUND_SPEED_METRES_PER_SECOND, a.point, b.point);
}

function contradict(a: AssessedPoint, b: AssessedPoint): boolean {
  return isImpossibleSpeed(a.point, b.point);
}

function isLater(a: AssessedPoint, b: AssessedPoint): boolean {
  return a.point.positionTime > b.point.positionTime;
}

function timeBetween(a: AssessedPoint, b: AssessedPoint): number {
  return Math.abs(a.point.positionTime - b.point.positionTime);
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
