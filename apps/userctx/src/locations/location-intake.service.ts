import { Injectable } from '@nestjs/common';
import { isCredible, type Location } from '@family-watch/domain/locations/contracts/location';
import {
  POINT_REJECTION_REASON,
  validatePoint,
  type PointValidation,
  type PointRejectionReason,
} from '@family-watch/domain/locations/contracts/validate-point';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location.dto';
import { UserctxOutbox, UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { FenceMonitorService } from './fences/fence-monitor.service.js';
import type { ChildKey } from '../families/family-roster.service.js';
import { WatchBindingRepository, type EffectiveBinding } from '../watches/binding/watch-binding.repository.js';
import { isContradicted, MAX_AGREEMENT_INTERVAL_MS, resolveContradictions } from './contradictions.js';
import { LocationRepository, type ChildLocationState, type ChildTimeRange } from './location.repository.js';
import { LocationRequestRepository } from './location-request.repository.js';
import {
  assessInOrder,
  MAX_TIME_AHEAD_MS,
  selectLast,
  supersedes,
  updateNewestPointTimes,
  type AssessedPoint,
} from './point-assessment.js';
import { pointKeyOf, type StoredPoint } from './stored-point.js';

/** Whether one reported point was accepted, its flags, and the reason of a rejection. */
type PointOutcome = Omit<PointResultDto, 'index'>;

/** Stored points by the key that {@link pointKeyOf} returns. */
export type StoredPointsByKey = ReadonlyMap<string, AssessedPoint>;

/** Returns whether the watch was bound to another child earlier and the point is older than the current binding. */
function belongsToOtherChild(point: Location, { boundAt, wasBoundToOtherChild }: EffectiveBinding): boolean {
  return wasBoundToOtherChild && point.positionTime < boundAt;
}

function toPointResult(
  validation: PointValidation,
  binding: EffectiveBinding,
  storedPoints: StoredPointsByKey,
): PointOutcome {
  if (!validation.isValid) return rejectedOutcome(validation.reason);
  const { point } = validation;
  if (belongsToOtherChild(point, binding)) return rejectedOutcome(POINT_REJECTION_REASON.NOT_BOUND_THEN);
  const stored = storedPoints.get(pointKeyOf({ did: binding.did, point }));
  if (!stored || !isSamePlace(stored.point, point))
    return rejectedOutcome(POINT_REJECTION_REASON.CONTRADICTS_STORED_POINT);
  return { accepted: true, flags: stored.flags, reason: null };
}

/** Compares degrees by value, because the database may store `-0` as `0`. */
function isSamePlace(a: Location, b: Location): boolean {
  return (
    Number(a.latitude) === Number(b.latitude) && Number(a.longitude) === Number(b.longitude) && a.radius === b.radius
  );
}

function rejectedOutcome(reason: PointRejectionReason): PointOutcome {
  return { accepted: false, flags: [], reason };
}

/** Points that one watch reported together. `receivedAt`: Unix milliseconds. */
export interface LocationReport {
  did: number;
  points: readonly unknown[];
  receivedAt: number;
}

/** Maximum number of separate periods per child and batch in which new points are compared with stored ones. */
const MAX_TIME_RANGES = 10;

/** A valid point of a watch that is bound to a child. */
interface CandidatePoint extends ChildKey {
  did: number;
  point: Location;
  receivedAt: number;
  /** Whether {@link replaceTimesAhead} has replaced the time of the point. */
  isTimeReplaced: boolean;
}

/** A point of a child. */
type ChildPoint = StoredPoint & ChildKey;

/**
 * Processes location reports of watches. Stores every point once, updates the child's last location with the newest
 * credible point and evaluates the child's fences. Thousands of watches report continuously, so reports are processed
 * in batches: a batch executes hardly more SQL statements than a single report.
 */
@Injectable()
export class LocationIntakeService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly bindings: WatchBindingRepository,
    private readonly points: LocationRepository,
    private readonly requests: LocationRequestRepository,
    private readonly fences: FenceMonitorService,
  ) {}

  /** Processes one report like {@link processAll}. */
  async process(report: LocationReport): Promise<PointResultDto[] | null> {
    const [results = null] = await this.processAll([report]);
    return results;
  }

  /**
   * Returns one result per point of each report, in the order of the points. A point belongs to the child that the
   * watch was bound to when the report was received. For a watch that was not bound, the result is `null` and nothing
   * is stored.
   */
  async processAll(reports: readonly LocationReport[]): Promise<(PointResultDto[] | null)[]> {
    const validations = reports.map(({ points, receivedAt }) =>
      replaceTimesAhead(points.map(validatePoint), receivedAt),
    );
    return this.unitOfWork.run(async () => {
      const bindings = await this.bindings.findAllAt(reports.map(({ did, receivedAt }) => ({ did, time: receivedAt })));
      const candidates = reports.flatMap(({ receivedAt }, index) =>
        toCandidates(bindings[index] ?? null, validations[index] ?? [], receivedAt),
      );
      const storedPoints =
        candidates.length === 0 ? new Map() : await this.storeNewPoints(removeDuplicates(candidates));
      return reports.map((_, index) => {
        const binding = bindings[index];
        return binding
          ? (validations[index] ?? []).map((validation, pointIndex) => ({
              index: pointIndex,
              ...toPointResult(validation, binding, storedPoints),
            }))
          : null;
      });
    });
  }

  /** Stores the candidates that are not stored yet. Returns the stored points, both new and earlier ones, by key. */
  private async storeNewPoints(candidates: readonly CandidatePoint[]): Promise<StoredPointsByKey> {
    const children = [...new Map(candidates.map(({ cid, familyId }) => [cid, { cid, familyId }])).values()];
    const cids = children.map(({ cid }) => cid);
    // The statements are sent together. Those after the first one wait for its locks, so they read the locked state.
    const [, childStates, monitored, cidsWithRequest] = await Promise.all([
      this.points.lockChildren(cids),
      this.findChildStates(cids),
      this.fences.findMonitored(children),
      this.requests.findChildrenWithPending(cids),
    ]);
    const storedPoints = indexByKey(await this.points.findSame(candidates.filter(mayBeDuplicate(childStates))));
    const fresh = candidates.filter((candidate) => !storedPoints.has(pointKeyOf(candidate)));
    const { assessed, changed } = await this.resolveContradictions(
      await this.assessNewPoints(fresh, childStates),
      childStates,
    );
    const stored = await this.insertNewPoints(assessed, storedPoints);
    await this.points.updateFlagsOf(changed);
    for (const point of [...stored, ...changed]) storedPoints.set(pointKeyOf(point), point);
    await Promise.all([
      this.updateLastLocations(stored, changed, childStates),
      this.fences.evaluate(monitored, toFencePoints([...stored, ...changed])),
    ]);
    await this.completeRequests(stored, cidsWithRequest);
    return storedPoints;
  }

  /**
   * Returns the last location and the times of the newest points of each child. Children without a location are missing
   * from the map.
   */
  private async findChildStates(cids: readonly string[]): Promise<Map<string, ChildLocationState>> {
    const found = await this.points.findLastOfChildren(cids);
    const withoutTimes = [...found.values()].filter(({ newestPointTimes }) => newestPointTimes === null);
    const times = await this.points.findNewestPointTimes(withoutTimes.map(({ cid }) => cid));
    for (const child of withoutTimes)
      found.set(child.cid, { ...child, newestPointTimes: times.get(child.cid) ?? null });
    return found;
  }

  /**
   * Determines the flags of new points in time order. Each point is compared with the nearest credible point before it,
   * which may be stored or new.
   */
  private async assessNewPoints(
    fresh: readonly CandidatePoint[],
    childStates: ReadonlyMap<string, ChildLocationState>,
  ): Promise<ChildPoint[]> {
    const needsLookup = needsPredecessorLookup(childStates);
    const lookups = fresh.filter(needsLookup);
    const predecessors = await this.points.findBefore(lookups);
    const predecessorsByKey = new Map(
      lookups.map((candidate, index) => [pointKeyOf(candidate), predecessors[index] ?? null]),
    );
    const children = Map.groupBy(fresh, ({ cid }) => cid);
    return [...children].flatMap(([cid, points]) =>
      assessInOrder(points, (candidate) => {
        const predecessor = predecessorsByKey.get(pointKeyOf(candidate));
        return predecessor === undefined ? (childStates.get(cid)?.location.point ?? null) : predecessor;
      }),
    );
  }

  /**
   * Compares new points that are contradicted, or older than stored points, with the points around them. Returns the new
   * points with their flags, and the stored points whose flags change.
   */
  private async resolveContradictions(
    assessed: readonly ChildPoint[],
    childStates: ReadonlyMap<string, ChildLocationState>,
  ): Promise<{ assessed: ChildPoint[]; changed: ChildPoint[] }> {
    const isContested = (one: ChildPoint): boolean => isContradicted(one) || mayBeDuplicate(childStates)(one);
    const contested = [...Map.groupBy(assessed, ({ cid }) => cid).values()].filter((points) =>
      points.some(isContested),
    );
    const around = await this.points.findAround(
      contested.flatMap((points) => toTimeRanges(points.filter(isContested)).slice(-MAX_TIME_RANGES)),
    );
    const changes = new Map(
      contested.flatMap((added) => {
        const [{ cid, familyId } = { cid: '', familyId: '' }] = added;
        const stored = (around.get(cid) ?? []).map((point) => ({ ...point, cid, familyId }));
        const track = [...stored, ...added].toSorted((a, b) => a.point.positionTime - b.point.positionTime);
        return [...resolveContradictions(track, added)];
      }),
    );
    const isNew = new Set(assessed);
    return {
      assessed: assessed.map((point) => ({ ...point, flags: changes.get(point) ?? point.flags })),
      changed: [...changes].flatMap(([point, flags]) => (isNew.has(point) ? [] : [{ ...point, flags }])),
    };
  }

  /**
   * Returns the points that were inserted. Points that were already stored stay unchanged, even those stored for
   * another child who had the watch earlier; they are added to the map `storedPoints`.
   */
  private async insertNewPoints(
    assessed: readonly ChildPoint[],
    storedPoints: Map<string, StoredPoint>,
  ): Promise<readonly ChildPoint[]> {
    if (assessed.length === 0) return assessed;
    const added = await this.points.add(assessed);
    if (added === assessed.length) return assessed;
    const existing = indexByKey(await this.points.findSame(assessed));
    const wasInserted = (point: ChildPoint): boolean => {
      const stored = existing.get(pointKeyOf(point));
      return stored?.receivedAt === point.receivedAt && isSamePlace(stored.point, point.point);
    };
    for (const [key, point] of existing) storedPoints.set(key, point);
    return assessed.filter(wasInserted);
  }

  /**
   * Updates the last locations and publishes those that changed.
   * @param changed - earlier points whose flags have changed. A last location among them that is no longer credible is
   *   replaced even by an older point.
   */
  private async updateLastLocations(
    stored: readonly ChildPoint[],
    changed: readonly ChildPoint[],
    childStates: ReadonlyMap<string, ChildLocationState>,
  ): Promise<void> {
    const replacements = await this.findReplacements(changed, childStates);
    const changedChildren = new Set(changed.map(({ cid }) => cid));
    const updates = [...Map.groupBy([...stored, ...changed], ({ cid }) => cid)].flatMap(([cid, points]) => {
      const state = childStates.get(cid);
      const before: StoredPoint | null = state?.location ?? null;
      const isOverruled = replacements.has(cid);
      const location = isOverruled
        ? (replacements.get(cid) ?? null)
        : points.reduce((best, point) => (supersedes(point, best) ? point : best), before);
      if (!location) return [];
      // The times of the newest points depend on flags, so they are looked up again after flags have changed.
      const newestPointTimes = changedChildren.has(cid)
        ? null
        : updateNewestPointTimes(state?.newestPointTimes ?? null, points);
      const corrects = isOverruled && before ? { corrects: before.point.positionTime } : {};
      const familyId = points[0]?.familyId ?? '';
      return [{ cid, location, newestPointTimes, hasChanged: location !== before, familyId, corrects }];
    });
    await Promise.all([
      this.points.saveLast(updates),
      this.outbox.appendMany(
        updates
          .filter(({ hasChanged }) => hasChanged)
          .map(({ familyId, cid, location: { did, point }, corrects }) => {
            const payload = { familyId, cid, did, location: point, ...corrects };
            return { name: 'userctx.location.changed', key: familyId, payload };
          }),
      ),
    ]);
  }

  /** Returns, by child, the location that replaces a last location among `changed` that is no longer credible. */
  private async findReplacements(
    changed: readonly ChildPoint[],
    childStates: ReadonlyMap<string, ChildLocationState>,
  ): Promise<Map<string, StoredPoint | null>> {
    const replacements = new Map<string, StoredPoint | null>();
    for (const point of changed) {
      const last = childStates.get(point.cid)?.location;
      if (!last || isCredible(point.flags) || pointKeyOf(last) !== pointKeyOf(point)) continue;
      replacements.set(point.cid, selectLast(await this.points.findNewestCredible(point.familyId, point.cid)));
    }
    return replacements;
  }

  private async completeRequests(stored: readonly ChildPoint[], cidsWithRequest: readonly string[]): Promise<void> {
    const children = Map.groupBy(
      stored.filter(({ flags }) => isCredible(flags)),
      ({ cid }) => cid,
    );
    for (const cid of cidsWithRequest) {
      for (const [receivedAt, points] of Map.groupBy(children.get(cid) ?? [], (point) => point.receivedAt)) {
        await this.requests.complete(
          cid,
          points.map(({ point }) => point),
          receivedAt,
        );
      }
    }
  }
}

/** The validation of a point whose time may be replaced. */
type TimedValidation = PointValidation & { isTimeReplaced?: boolean };

/**
 * Replaces times that are more than {@link MAX_TIME_AHEAD_MS} ahead by the time of receipt. Several such points keep
 * their order, a millisecond apart.
 */
function replaceTimesAhead(validations: readonly PointValidation[], receivedAt: number): TimedValidation[] {
  const ahead = validations
    .flatMap((one) => (one.isValid && one.point.positionTime > receivedAt + MAX_TIME_AHEAD_MS ? [one] : []))
    .toSorted((a, b) => b.point.positionTime - a.point.positionTime);
  const times = new Map<PointValidation, number>(ahead.map((one, index) => [one, receivedAt - index]));
  return validations.map((one) => {
    const positionTime = times.get(one);
    return one.isValid && positionTime !== undefined
      ? { ...one, point: { ...one.point, positionTime }, isTimeReplaced: true }
      : one;
  });
}

function toCandidates(
  binding: EffectiveBinding | null,
  validations: readonly TimedValidation[],
  receivedAt: number,
): CandidatePoint[] {
  if (!binding) return [];
  const { cid, did, familyId } = binding;
  return validations.flatMap((validation) =>
    validation.isValid && !belongsToOtherChild(validation.point, binding)
      ? [
          {
            familyId,
            cid,
            did,
            point: validation.point,
            receivedAt,
            isTimeReplaced: validation.isTimeReplaced === true,
          },
        ]
      : [],
  );
}

/** Returns the first of the candidates that have the same watch, time and point type. */
function removeDuplicates(candidates: readonly CandidatePoint[]): CandidatePoint[] {
  const first = new Map<string, CandidatePoint>();
  for (const candidate of candidates) {
    const key = pointKeyOf(candidate);
    if (!first.has(key)) first.set(key, candidate);
  }
  return [...first.values()];
}

function indexByKey(points: readonly StoredPoint[]): Map<string, StoredPoint> {
  return new Map(points.map((point) => [pointKeyOf(point), point]));
}

/** Returns a predicate that is false for points newer than the child's newest point, which cannot be duplicates. */
function mayBeDuplicate(
  childStates: ReadonlyMap<string, ChildLocationState>,
): (candidate: Pick<CandidatePoint, 'cid' | 'point'>) => boolean {
  return ({ cid, point }) => {
    const newest = childStates.get(cid)?.newestPointTimes;
    return !newest || point.positionTime <= newest.newestTime;
  };
}

/**
 * Returns a predicate that is true if the last credible point before a candidate must be looked up, because it is not
 * the child's last location.
 */
function needsPredecessorLookup(
  childStates: ReadonlyMap<string, ChildLocationState>,
): (candidate: CandidatePoint) => boolean {
  return ({ cid, point }) => {
    const state = childStates.get(cid);
    if (!state) return true;
    const { positionTime } = state.location.point;
    return state.newestPointTimes?.newestCredibleTime !== positionTime || point.positionTime < positionTime;
  };
}

function toFencePoints(stored: readonly ChildPoint[]) {
  const reports = Map.groupBy(stored, ({ cid, did, receivedAt }) => `${cid}/${did}/${receivedAt}`);
  return [...reports.values()].flatMap((points) => {
    const [first] = points;
    return first
      ? [{ familyId: first.familyId, cid: first.cid, did: first.did, points, receivedAt: first.receivedAt }]
      : [];
  });
}

/**
 * Returns the time ranges of points of one child, in time order. Points that are too far apart to agree are in different
 * ranges.
 */
function toTimeRanges(points: readonly ChildPoint[]): ChildTimeRange[] {
  const ranges: ChildTimeRange[] = [];
  for (const { cid, point } of points.toSorted((a, b) => a.point.positionTime - b.point.positionTime)) {
    const { positionTime } = point;
    const range = ranges.at(-1);
    if (range && positionTime - range.last <= MAX_AGREEMENT_INTERVAL_MS) range.last = positionTime;
    else ranges.push({ cid, first: positionTime, last: positionTime });
  }
  return ranges;
}
