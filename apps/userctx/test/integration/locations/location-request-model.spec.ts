import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import {
  LOCATION_REQUEST_TTL_MS,
  LocationRequestService,
} from '../../../src/contexts/locations/location-request.service.js';
import { LocationService } from '../../../src/contexts/locations/location.service.js';
import { CLOCK_TOLERANCE_MS } from '../../../src/contexts/locations/point-assessment.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let requests: LocationRequestService;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a step of the model delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  requests = replica.get(LocationRequestService);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => environment.close());

/** Model of location requests: the time of each request, and the time of the point that answered it. */
class Model {
  readonly requests: { askedAt: number; answeredAt: number | null }[] = [];

  /** Creates a request unless one is pending. Returns the index of the created or pending request. */
  createUnlessPending(now: number): number {
    const last = this.requests.at(-1);
    if (!last || last.answeredAt !== null || last.askedAt + LOCATION_REQUEST_TTL_MS < now)
      this.requests.push({ askedAt: now, answeredAt: null });
    return this.requests.length - 1;
  }

  report(times: readonly number[], now: number): void {
    const last = this.requests.at(-1);
    if (!last || last.answeredAt !== null || last.askedAt + LOCATION_REQUEST_TTL_MS < now) return;
    const credible = times.filter((time) => time >= last.askedAt && time <= now + CLOCK_TOLERANCE_MS);
    if (credible.length > 0) last.answeredAt = Math.min(...credible);
  }

  stateOf(index: number, now: number): string {
    const request = this.requests[index];
    if (!request) return 'NONE';
    if (request.answeredAt !== null) return 'ANSWERED';
    return request.askedAt + LOCATION_REQUEST_TTL_MS < now ? 'EXPIRED' : 'ASKED';
  }
}

/** A child in the service under test, the ids of its location requests, and a controllable clock. */
class Real {
  readonly askIds: string[] = [];
  now = Date.now() + 1_000;

  constructor(readonly family: BoundFamilyFixture) {
    jest.spyOn(Date, 'now').mockImplementation(() => this.now);
  }
}

abstract class Step implements fc.AsyncCommand<Model, Real> {
  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.execute(model, real);
    for (const [index, askId] of real.askIds.entries()) {
      const { state, location } = await requests.find(real.family.owner, askId);
      const answeredAt = model.requests[index]?.answeredAt ?? null;
      expect([index, state, location?.positionTime ?? null]).toEqual([
        index,
        model.stateOf(index, real.now),
        answeredAt,
      ]);
    }
    const publishedEvents = await environment.events('userctx.location.asked', real.family.familyId);
    expect(publishedEvents.map(({ askId }) => askId)).toEqual(real.askIds);
  }

  protected abstract execute(model: Model, real: Real): Promise<void>;
}

class CreateRequest extends Step {
  protected override async execute(model: Model, real: Real): Promise<void> {
    const index = model.createUnlessPending(real.now);
    const { askId, deadline } = await requests.create(real.family.owner, real.family.watch.did);
    real.askIds[index] ??= askId;
    expect(askId).toBe(real.askIds[index]);
    expect(deadline).toBe((model.requests[index]?.askedAt ?? 0) + LOCATION_REQUEST_TTL_MS);
  }

  override toString = () => 'create a location request';
}

class Report extends Step {
  /** @param ages - ages of the reported points in seconds; negative for points in the future */
  constructor(private readonly ages: readonly number[]) {
    super();
  }

  protected override async execute(model: Model, real: Real): Promise<void> {
    const times = this.ages.map((age) => real.now - age * 1_000);
    const coordinates = { latitude: '31.2304', longitude: '121.4737', radius: 12, pointType: 1 };
    const points = times.map((positionTime) => ({ ...coordinates, positionTime }));
    await replica.get(LocationService).report(real.family.watch.principal, points);
    // A duplicate of a stored point does not answer a location request.
    const newTimes = times.filter((time) => !this.reportedTimes(real).has(time));
    for (const time of newTimes) this.reportedTimes(real).add(time);
    model.report(newTimes, real.now);
  }

  private reportedTimes(real: Real): Set<number> {
    const reportedTimes = REPORTED_TIMES.get(real) ?? new Set<number>();
    REPORTED_TIMES.set(real, reportedTimes);
    return reportedTimes;
  }

  override toString = () => `report points that are ${this.ages.join(', ')} s old`;
}

/** Times of the points that were reported in each run of the model. */
const REPORTED_TIMES = new WeakMap<Real, Set<number>>();

class Wait extends Step {
  constructor(private readonly milliseconds: number) {
    super();
  }

  protected override execute(_: Model, real: Real): Promise<void> {
    real.now += this.milliseconds;
    return Promise.resolve();
  }

  override toString = () => `wait ${this.milliseconds} ms`;
}

class RunExpiryJob extends Step {
  protected override async execute(): Promise<void> {
    await replica.get(LocationRequestService).expireDue(Date.now());
  }

  override toString = () => 'run the expiry job';
}

test('LocationRequestService.create returns the pending request until a credible point answers it or it expires', async () => {
  const steps = fc.commands(
    [
      fc.constant(new CreateRequest()),
      fc
        .array(fc.constantFrom(0, 1, 30, 100, 130, 3_600, -60, -121, -86_400), { minLength: 1, maxLength: 3 })
        .map((ages) => new Report(ages)),
      fc
        .constantFrom(1, 999, 30_000, LOCATION_REQUEST_TTL_MS - 1, LOCATION_REQUEST_TTL_MS, LOCATION_REQUEST_TTL_MS + 1)
        .map((time) => new Wait(time)),
      fc.constant(new RunExpiryJob()),
    ],
    { maxCommands: 30, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (commands) => {
      jest.restoreAllMocks();
      const family = await createBoundFamily(environment, replica);
      await fc.asyncModelRun(() => ({ model: new Model(), real: new Real(family) }), commands);
    }),
    { numRuns: propertyRuns(5) },
  );
});
