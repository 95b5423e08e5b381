import { Injectable } from '@nestjs/common';
import { checkPoint, POINT_REFUSAL } from '@family-watch/domain/locations/contracts/check-point';
import type { PointRefusal } from '@family-watch/domain/locations/contracts/check-point';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location-report.dto';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { BindingHistory } from '../watches/binding/binding-history.service.js';
import type { StandingBinding } from '../watches/binding/binding-history.service.js';
import { ChildLocationRepository } from './child-location.repository.js';
import { LocationAskRepository } from './location-ask.repository.js';
import { LocationPointRepository } from './location-point.repository.js';
import type { StoredPoint } from './location-point.repository.js';
import { flagsOf, isCredible, supersedes } from './point-assessment.js';
import type { AssessedPoint } from './point-assessment.js';

/** What became of one reported point. */
type Verdict = Omit<PointResultDto, 'index'>;

/** Points of one watch that arrived together. `receivedAt`: Unix milliseconds. */
interface Report {
  did: number;
  points: readonly unknown[];
  receivedAt: number;
}

/** Takes what watches report: every point is stored once, and the newest credible one is where the child is. */
@Injectable()
export class LocationIntake {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly bindings: BindingHistory,
    private readonly points: LocationPointRepository,
    private readonly locations: ChildLocationRepository,
    private readonly asks: LocationAskRepository,
  ) {}

  /**
   * One verdict per point, in the order of the report. A point belongs to the child that the watch acted as when the
   * report arrived; `null` when it acted as none, and nothing was stored.
   */
  async take({ did, points, receivedAt }: Report): Promise<PointResultDto[] | null> {
    const checks = points.map((point) => checkPoint(point));
    return this.unitOfWork.run(async () => {
      const binding = await this.bindings.at(did, receivedAt);
      if (!binding) return null;
      await this.points.lockChild(binding.cid);
      const good = checks.flatMap((check) => (check.ok && !isForeign(check.point, binding) ? [check.point] : []));
      const settled = await this.settle(binding, good, receivedAt);
      return checks.map((check, index) => ({ index, ...verdictOn(check, binding, settled) }));
    });
  }

  /** Stores what is not stored yet, and returns what stands now at each moment and kind of fix. */
  private async settle(
    binding: StandingBinding,
    points: readonly Location[],
    receivedAt: number,
  ): Promise<Map<string, AssessedPoint>> {
    const settled = new Map<string, AssessedPoint>();
    for (const stored of await this.points.findSame(binding.did, points)) settled.set(keyOf(stored.point), stored);
    const fresh = distinct(points.filter((point) => !settled.has(keyOf(point))));
    if (fresh.length === 0) return settled;
    const assessed = await this.assess(binding, fresh, receivedAt);
    for (const point of assessed) settled.set(keyOf(point.point), point);
    await this.points.add(binding.cid, assessed);
    await this.follow(binding, assessed);
    const credible = assessed.flatMap(({ flags, point }) => (isCredible(flags) ? [point] : []));
    await this.asks.answer(binding.cid, credible, receivedAt);
    return settled;
  }

  /** Judges points in the order of their times, each against the nearest credible one before it, stored or new. */
  private async assess(
    { cid, did }: StandingBinding,
    points: readonly Location[],
    receivedAt: number,
  ): Promise<StoredPoint[]> {
    const ordered = points.toSorted((a, b) => a.positionTime - b.positionTime);
    const stored = await this.points.findBefore(
      cid,
      ordered.map((point) => point.positionTime),
    );
    let newest: Location | null = null;
    return ordered.map((point, index) => {
      const flags = flagsOf(point, later(newest, stored[index] ?? null), receivedAt);
      if (isCredible(flags)) newest = point;
      return { did, point, flags, receivedAt };
    });
  }

  private async follow({ familyId, cid, did }: StandingBinding, points: readonly StoredPoint[]): Promise<void> {
    const before = await this.locations.find(cid);
    const last = points.reduce<StoredPoint | null>((best, point) => (supersedes(point, best) ? point : best), before);
    if (!last || last === before) return;
    await this.locations.replace(cid, last);
    const payload = { familyId, cid, did, location: last.point };
    await this.outbox.append({ name: 'userctx.location.changed', key: familyId, payload });
  }
}

/** A point of the time when the watch acted as another child, or as nobody since, is none of this family's business. */
function isForeign(point: Location, { boundAt, actedAsAnother }: StandingBinding): boolean {
  return actedAsAnother && point.positionTime < boundAt;
}

function verdictOn(
  check: ReturnType<typeof checkPoint>,
  binding: StandingBinding,
  settled: ReadonlyMap<string, AssessedPoint>,
): Verdict {
  if (!check.ok) return refused(check.reason);
  if (isForeign(check.point, binding)) return refused(POINT_REFUSAL.NOT_BOUND_THEN);
  const stored = settled.get(keyOf(check.point));
  if (!stored || !isSame(stored.point, check.point)) return refused(POINT_REFUSAL.CONTRADICTS_STORED_POINT);
  return { accepted: true, flags: stored.flags, reason: null };
}

function refused(reason: PointRefusal): Verdict {
  return { accepted: false, flags: [], reason };
}

function keyOf({ positionTime, pointType }: Location): string {
  return `${positionTime}/${pointType}`;
}

/** Degrees are compared by value: the database may write `-0` as `0`. */
function isSame(a: Location, b: Location): boolean {
  return (
    Number(a.latitude) === Number(b.latitude) && Number(a.longitude) === Number(b.longitude) && a.radius === b.radius
  );
}

/** The first of each moment and kind of fix. */
function distinct(points: readonly Location[]): Location[] {
  return [...new Map(points.toReversed().map((point) => [keyOf(point), point])).values()].toReversed();
}

function later(a: Location | null, b: Location | null): Location | null {
  if (!a || !b) return a ?? b;
  return a.positionTime >= b.positionTime ? a : b;
}
