import { Injectable } from '@nestjs/common';
import { validatePoint } from '@family-watch/domain/locations/contracts/validate-point';
import type { PointValidation } from '@family-watch/domain/locations/contracts/validate-point';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { isCredible } from '@family-watch/domain/locations/contracts/point-flag';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location-report.dto';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { FenceMonitorService } from '../../fences/fence-monitor.service.js';
import { BindingHistoryService } from '../../watches/binding/binding-history.service.js';
import type { EffectiveBinding } from '../../watches/binding/binding-history.service.js';
import { ChildLocationRepository } from '../child-location.repository.js';
import type { ChildLocationState } from '../child-location.repository.js';
import { LocationRequestRepository } from '../requests/location-request.repository.js';
import { LocationPointRepository } from '../location-point.repository.js';
import type { StoredPoint } from '../point-row.js';
import { pointKeyOf } from '../point-key.js';
import { assessInOrder, supersedes } from './point-assessment.js';
import { belongsToOtherChild, isSamePlace, toPointResult } from './point-result.js';
import type { StoredPointsByKey } from './point-result.js';
import { extendTrackEnd } from './track-end.js';

/** Points of one watch that arrived together. `receivedAt`: Unix milliseconds. */
export interface LocationReport {
  did: number;
  points: readonly unknown[];
  receivedAt: number;
}

/** A well-formed point of a watch that acts as a child. */
interface Candidate {
  binding: EffectiveBinding;
  cid: string;
  did: number;
  point: Location;
  receivedAt: number;
}

type NewPoint = Candidate & StoredPoint;

/**
 * Takes what watches report: every point is stored once, the newest credible one is where the child is, and the fences
 * of the child judge it. Many reports cost little more statements than one, because thousands of watches report at
 * any time.
 */
@Injectable()
export class LocationIntakeService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly bindings: BindingHistoryService,
    private readonly points: LocationPointRepository,
    private readonly locations: ChildLocationRepository,
    private readonly asks: LocationRequestRepository,
    private readonly fences: FenceMonitorService,
  ) {}

  /** As {@link processAll}, for one report. */
  async process(report: LocationReport): Promise<PointResultDto[] | null> {
    const [verdicts = null] = await this.processAll([report]);
    return verdicts;
  }

  /**
   * For each report one verdict per point, in their order. A point belongs to the child that the watch acted as when
   * its report arrived; `null` when it acted as none, and nothing of it was stored.
   */
  async processAll(reports: readonly LocationReport[]): Promise<(PointResultDto[] | null)[]> {
    const checks = reports.map(({ points }) => points.map((point) => validatePoint(point)));
    return this.unitOfWork.run(async () => {
      const bindings = await this.bindings.findAllAt(reports.map(({ did, receivedAt }) => ({ did, time: receivedAt })));
      const candidates = reports.flatMap(({ receivedAt }, index) =>
        candidatesOf(bindings[index] ?? null, checks[index] ?? [], receivedAt),
      );
      const settled = candidates.length === 0 ? new Map() : await this.settle(distinct(candidates));
      return reports.map((_, index) => {
        const binding = bindings[index];
        return binding
          ? (checks[index] ?? []).map((check, place) => ({ index: place, ...toPointResult(check, binding, settled) }))
          : null;
      });
    });
  }

  /** Stores what is not stored yet, and returns what stands now at each moment and kind of fix. */
  private async settle(candidates: readonly Candidate[]): Promise<StoredPointsByKey> {
    const cids = [...new Set(candidates.map(({ cid }) => cid))];
    await this.points.lockChildren(cids);
    const whereabouts = await this.findWhereabouts(cids);
    const settled = byKey(await this.points.findSame(candidates.filter(mayBeStored(whereabouts))));
    const fresh = candidates.filter((candidate) => !settled.has(pointKeyOf(candidate)));
    const assessed = await this.assess(fresh, whereabouts);
    const stored = await this.store(assessed, settled);
    for (const point of stored) settled.set(pointKeyOf(point), point);
    await this.follow(stored, whereabouts);
    await this.fences.evaluate(fencePointsOf(stored));
    await this.answerAsks(stored);
    return settled;
  }

  /** Children that have been nowhere are missing. */
  private async findWhereabouts(cids: readonly string[]): Promise<Map<string, ChildLocationState>> {
    const found = await this.locations.findAll(cids);
    const unknown = [...found.values()].filter(({ trackEnd }) => trackEnd === null);
    const ends = await this.points.findTrackEnds(unknown.map(({ cid }) => cid));
    for (const child of unknown) found.set(child.cid, { ...child, trackEnd: ends.get(child.cid) ?? null });
    return found;
  }

  /** Judges points in the order of their times, each against the nearest credible one before it, stored or new. */
  private async assess(
    fresh: readonly Candidate[],
    whereabouts: ReadonlyMap<string, ChildLocationState>,
  ): Promise<NewPoint[]> {
    const isBeforeEnd = liesBeforeEnd(whereabouts);
    const inside = fresh.filter(isBeforeEnd);
    const known = await this.points.findBefore(inside);
    const before = new Map(inside.map((candidate, index) => [pointKeyOf(candidate), known[index] ?? null]));
    const children = Map.groupBy(fresh, ({ cid }) => cid);
    return [...children].flatMap(([cid, points]) =>
      assessInOrder(points, (candidate) => {
        const found = before.get(pointKeyOf(candidate));
        return found === undefined ? (whereabouts.get(cid)?.location.point ?? null) : found;
      }),
    );
  }

  /** What another child's time with the same watch has left is not stored twice: it stays as it is, and is returned in `settled`. */
  private async store(assessed: readonly NewPoint[], settled: Map<string, StoredPoint>): Promise<readonly NewPoint[]> {
    if (assessed.length === 0) return assessed;
    const added = await this.points.add(assessed);
    if (added === assessed.length) return assessed;
    const standing = byKey(await this.points.findSame(assessed));
    const isOurs = (point: NewPoint): boolean => {
      const stored = standing.get(pointKeyOf(point));
      return stored?.receivedAt === point.receivedAt && isSamePlace(stored.point, point.point);
    };
    for (const [key, point] of standing) settled.set(key, point);
    return assessed.filter(isOurs);
  }

  /** Moves the last locations on, and tells of those that have moved. */
  private async follow(
    stored: readonly NewPoint[],
    whereabouts: ReadonlyMap<string, ChildLocationState>,
  ): Promise<void> {
    const moved = [...Map.groupBy(stored, ({ cid }) => cid)].flatMap(([cid, points]) => {
      const known = whereabouts.get(cid);
      const before: StoredPoint | null = known?.location ?? null;
      const location = points.reduce((best, point) => (supersedes(point, best) ? point : best), before);
      if (!location) return [];
      const trackEnd = extendTrackEnd(known?.trackEnd ?? null, points);
      return [{ cid, location, trackEnd, isNew: location !== before, familyId: points[0]?.binding.familyId ?? '' }];
    });
    await this.locations.saveAll(moved);
    await this.outbox.appendMany(
      moved
        .filter(({ isNew }) => isNew)
        .map(({ familyId, cid, location: { did, point } }) => {
          const payload = { familyId, cid, did, location: point };
          return { name: 'userctx.location.changed', key: familyId, payload };
        }),
    );
  }

  private async answerAsks(stored: readonly NewPoint[]): Promise<void> {
    const children = Map.groupBy(
      stored.filter(({ flags }) => isCredible(flags)),
      ({ cid }) => cid,
    );
    for (const cid of await this.asks.findChildrenWithPending([...children.keys()])) {
      for (const [receivedAt, points] of Map.groupBy(children.get(cid) ?? [], (point) => point.receivedAt)) {
        await this.asks.answer(
          cid,
          points.map(({ point }) => point),
          receivedAt,
        );
      }
    }
  }
}

function candidatesOf(
  binding: EffectiveBinding | null,
  checks: readonly PointValidation[],
  receivedAt: number,
): Candidate[] {
  if (!binding) return [];
  const { cid, did } = binding;
  return checks.flatMap((check) =>
    check.ok && !belongsToOtherChild(check.point, binding)
      ? [{ binding, cid, did, point: check.point, receivedAt }]
      : [],
  );
}

/** The first of each moment and kind of fix. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  const first = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const key = pointKeyOf(candidate);
    if (!first.has(key)) first.set(key, candidate);
  }
  return [...first.values()];
}

function byKey(points: readonly StoredPoint[]): Map<string, StoredPoint> {
  return new Map(points.map((point) => [pointKeyOf(point), point]));
}

/** Behind the end of the track nothing can be a repetition. */
function mayBeStored(whereabouts: ReadonlyMap<string, ChildLocationState>): (candidate: Candidate) => boolean {
  return ({ cid, point }) => {
    const end = whereabouts.get(cid)?.trackEnd;
    return !end || point.positionTime <= end.newestTime;
  };
}

/** Whether the last credible point before it must be looked up: where the last location is that point, it need not. */
function liesBeforeEnd(whereabouts: ReadonlyMap<string, ChildLocationState>): (candidate: Candidate) => boolean {
  return ({ cid, point }) => {
    const known = whereabouts.get(cid);
    if (!known) return true;
    const { positionTime } = known.location.point;
    return known.trackEnd?.newestCredibleTime !== positionTime || point.positionTime < positionTime;
  };
}

function fencePointsOf(stored: readonly NewPoint[]) {
  const reports = Map.groupBy(stored, ({ cid, did, receivedAt }) => `${cid}/${did}/${receivedAt}`);
  return [...reports.values()].flatMap((points) => {
    const [first] = points;
    return first
      ? [{ familyId: first.binding.familyId, cid: first.cid, did: first.did, points, receivedAt: first.receivedAt }]
      : [];
  });
}
