import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { CLOCK_TOLERANCE_MS } from '../../../src/contexts/locations/intake/point-assessment.js';
import {
  LOCATION_REQUEST_TTL_MS,
  LocationRequestService,
} from '../../../src/contexts/locations/requests/location-request.service.js';
import { LocationRequestExpiryJob } from '../../../src/contexts/locations/requests/location-request-expiry.job.js';
import { LocationService } from '../../../src/contexts/locations/location.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let asks: LocationRequestService;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The model says when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  asks = replica.get(LocationRequestService);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => world.close());

/** Questions as a guardian counts them: when each was asked, and by which position it was answered. */
class Model {
  readonly questions: { askedAt: number; answer: number | null }[] = [];

  /** The number of the question that asking now leads to. */
  ask(now: number): number {
    const last = this.questions.at(-1);
    if (!last || last.answer !== null || last.askedAt + LOCATION_REQUEST_TTL_MS < now)
      this.questions.push({ askedAt: now, answer: null });
    return this.questions.length - 1;
  }

  report(times: readonly number[], now: number): void {
    const last = this.questions.at(-1);
    if (!last || last.answer !== null || last.askedAt + LOCATION_REQUEST_TTL_MS < now) return;
    const good = times.filter((time) => time >= last.askedAt && time <= now + CLOCK_TOLERANCE_MS);
    if (good.length > 0) last.answer = Math.min(...good);
  }

  stateOf(index: number, now: number): string {
    const question = this.questions[index];
    if (!question) return 'NONE';
    if (question.answer !== null) return 'ANSWERED';
    return question.askedAt + LOCATION_REQUEST_TTL_MS < now ? 'EXPIRED' : 'ASKED';
  }
}

class Real {
  readonly askIds: string[] = [];
  now = Date.now() + 1_000;

  constructor(readonly home: BoundFamilyFixture) {
    jest.spyOn(Date, 'now').mockImplementation(() => this.now);
  }
}

abstract class Step implements fc.AsyncCommand<Model, Real> {
  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.take(model, real);
    for (const [index, askId] of real.askIds.entries()) {
      const { state, location } = await asks.find(real.home.owner, askId);
      const answer = model.questions[index]?.answer ?? null;
      expect([index, state, location?.positionTime ?? null]).toEqual([index, model.stateOf(index, real.now), answer]);
    }
    const told = await world.events('userctx.location.asked', real.home.familyId);
    expect(told.map(({ askId }) => askId)).toEqual(real.askIds);
  }

  protected abstract take(model: Model, real: Real): Promise<void>;
}

class Ask extends Step {
  protected override async take(model: Model, real: Real): Promise<void> {
    const index = model.ask(real.now);
    const { askId, deadline } = await asks.create(real.home.owner, real.home.watch.did);
    real.askIds[index] ??= askId;
    expect(askId).toBe(real.askIds[index]);
    expect(deadline).toBe((model.questions[index]?.askedAt ?? 0) + LOCATION_REQUEST_TTL_MS);
  }

  override toString = () => 'ask';
}

class Report extends Step {
  /** @param ages - of the positions, in seconds; of the future when negative */
  constructor(private readonly ages: readonly number[]) {
    super();
  }

  protected override async take(model: Model, real: Real): Promise<void> {
    const times = this.ages.map((age) => real.now - age * 1_000);
    const place = { latitude: '31.2304', longitude: '121.4737', radius: 12, pointType: 1 };
    const points = times.map((positionTime) => ({ ...place, positionTime }));
    await replica.get(LocationService).report(real.home.watch.principal, points);
    // What was reported before is known, and answers nothing.
    const fresh = times.filter((time) => !this.known(real).has(time));
    for (const time of fresh) this.known(real).add(time);
    model.report(fresh, real.now);
  }

  private known(real: Real): Set<number> {
    const known = KNOWN.get(real) ?? new Set<number>();
    KNOWN.set(real, known);
    return known;
  }

  override toString = () => `positions that are ${this.ages.join(', ')} s old`;
}

const KNOWN = new WeakMap<Real, Set<number>>();

class Wait extends Step {
  constructor(private readonly milliseconds: number) {
    super();
  }

  protected override take(_: Model, real: Real): Promise<void> {
    real.now += this.milliseconds;
    return Promise.resolve();
  }

  override toString = () => `${this.milliseconds} ms go by`;
}

class Sweep extends Step {
  protected override async take(): Promise<void> {
    await replica.get(LocationRequestExpiryJob).run();
  }

  override toString = () => 'the sweep comes by';
}

it('a question is joined, answered by the first good position of after it, or expires, and never changes again', async () => {
  const steps = fc.commands(
    [
      fc.constant(new Ask()),
      fc
        .array(fc.constantFrom(0, 1, 30, 100, 130, 3_600, -60, -121, -86_400), { minLength: 1, maxLength: 3 })
        .map((ages) => new Report(ages)),
      fc
        .constantFrom(1, 999, 30_000, LOCATION_REQUEST_TTL_MS - 1, LOCATION_REQUEST_TTL_MS, LOCATION_REQUEST_TTL_MS + 1)
        .map((time) => new Wait(time)),
      fc.constant(new Sweep()),
    ],
    { maxCommands: 30, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (commands) => {
      jest.restoreAllMocks();
      const home = await createBoundFamily(world, replica);
      await fc.asyncModelRun(() => ({ model: new Model(), real: new Real(home) }), commands);
    }),
    { numRuns: propertyRuns(5) },
  );
});
