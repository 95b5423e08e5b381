import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { FencesService } from '../../../src/contexts/fences/fences.service.js';
import { createCircle, FenceFixture } from '../../support/fence-fixture.js';
import { sequencesOf } from '../../support/model-steps.js';
import type { Step } from '../../support/model-steps.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const DWELL_MS = 120_000;
/** Delay in milliseconds with which the fence timer job evaluates due times. */
const EVALUATION_DELAY_MS = 30_000;

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a step of the model delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
});
afterAll(() => environment.close());

/** Model of one fence: on which side the child is, when the child arrived, and the expected fence events. */
class Model {
  enabled = true;
  side: 'in' | 'out' | null = null;
  arrivedAt = 0;
  isDwellPending = false;
  readonly events: string[] = [];

  advanceTo(time: number): void {
    if (!this.isDwellPending || this.arrivedAt + DWELL_MS > time) return;
    this.isDwellPending = false;
    this.events.push(`DWELLED ${this.arrivedAt + DWELL_MS}`);
  }

  observe(side: 'in' | 'out', time: number): void {
    if (!this.enabled) return;
    this.advanceTo(time);
    if (this.side === side) return;
    if (this.side !== null) this.events.push(`${side === 'in' ? 'ENTERED' : 'LEFT'} ${time}`);
    [this.side, this.isDwellPending] = [side, side === 'in'];
    if (side === 'in') this.arrivedAt = time;
  }

  reset(): void {
    [this.side, this.isDwellPending] = [null, false];
  }
}

interface Real {
  fixture: FenceFixture;
  /** Current time of the scenario, Unix milliseconds. */
  now: number;
}

/** Creates a step `seconds` after the previous step. */
const createStep = (
  name: string,
  seconds: number,
  action: (model: Model, real: Real) => Promise<void>,
): Step<Model, Real> => ({
  name: `${name} after ${seconds} s`,
  run: (model, real) => {
    real.now += seconds * 1_000;
    jest.spyOn(Date, 'now').mockReturnValue(real.now);
    return action(model, real);
  },
});

const updateFence = ({ fixture }: Real, fields: object) =>
  replica
    .get(FencesService)
    .update(fixture.boundFamily.owner, { cid: fixture.cid, fenceId: fixture.fence.fenceId, ...fields });

/** Seconds between two steps. */
const delays = fc.integer({ min: 20, max: 200 });
const reportFixes = (metres: number, radius: number, side: 'in' | 'out' | null) =>
  delays.map((seconds) =>
    createStep(`${side ?? 'unsure'} at ${metres}`, seconds, async (model, real) => {
      await real.fixture.report([real.fixture.fix(real.now, metres, { radius })]);
      if (side) model.observe(side, real.now);
      else if (model.enabled) model.advanceTo(real.now);
    }),
  );

const STEPS = [
  reportFixes(0, 0, 'in'),
  reportFixes(-60, 30, 'in'),
  reportFixes(500, 200, 'out'),
  reportFixes(112, 0, 'out'),
  reportFixes(105, 0, null),
  reportFixes(0, 150, null),
  delays.map((seconds) =>
    createStep('the timer', seconds, async (model, real) => {
      await real.fixture.runTimer(real.now);
      if (model.enabled) model.advanceTo(real.now - EVALUATION_DELAY_MS);
    }),
  ),
  delays.map((seconds) =>
    createStep('disabled', seconds, async (model, real) => {
      await updateFence(real, { enabled: false });
      model.enabled = false;
      model.reset();
    }),
  ),
  delays.map((seconds) =>
    createStep('enabled', seconds, async (model, real) => {
      await updateFence(real, { enabled: true });
      model.enabled = true;
    }),
  ),
  delays.map((seconds) =>
    createStep('renamed', seconds, async (_, real) => void (await updateFence(real, { name: 'Other' }))),
  ),
  delays.map((seconds) =>
    createStep('enlarged or reduced by a metre', seconds, async (model, real) => {
      const [{ circle: before } = { circle: null }] = (
        await replica.get(FencesService).list(real.fixture.boundFamily.owner, real.fixture.cid)
      ).items;
      await updateFence(real, createCircle(0, before?.radius === 100 ? 101 : 100));
      model.reset();
    }),
  ),
  delays.map((seconds) =>
    createStep('changed with a stale version', seconds, async (_, real) => {
      await expect(updateFence(real, { ...createCircle(900), version: 1_000 })).rejects.toMatchObject({
        reason: 'VERSION_STALE',
      });
    }),
  ),
];

async function checkEvents(model: Model, { fixture }: Real): Promise<void> {
  expect(await fixture.publishedEvents()).toEqual(model.events);
}

test('a fence publishes the events of the model for any sequence of reports, changes and timer runs', async () => {
  await fc.assert(
    fc.asyncProperty(sequencesOf(STEPS, 20, checkEvents), async (steps) => {
      const notify = { entered: true, left: true, dwelled: true };
      const fixture = await FenceFixture.create(environment, replica, { notify, dwell: DWELL_MS / 1_000 });
      const now = Date.now();
      try {
        await fc.asyncModelRun(() => ({ model: new Model(), real: { fixture, now } }), steps);
      } finally {
        jest.restoreAllMocks();
      }
    }),
    { numRuns: propertyRuns(8) },
  );
});
