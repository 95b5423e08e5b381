import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { FencesService } from '../../../src/contexts/fences/fences.service.js';
import { circle, FenceFixture } from '../../support/fence-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const DWELL = 120_000;
/** The clock judges what came due this long ago. */
const GRACE = 30_000;

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The model says when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
});
afterAll(() => world.close());

/** What a fence is said to know and to have told, in words of its own: who stood where from when on. */
class Model {
  enabled = true;
  side: 'in' | 'out' | null = null;
  arrived = 0;
  awaitsStay = false;
  readonly told: string[] = [];

  passes(time: number): void {
    if (!this.awaitsStay || this.arrived + DWELL > time) return;
    this.awaitsStay = false;
    this.told.push(`DWELLED ${this.arrived + DWELL}`);
  }

  sees(side: 'in' | 'out', time: number): void {
    if (!this.enabled) return;
    this.passes(time);
    if (this.side === side) return;
    if (this.side !== null) this.told.push(`${side === 'in' ? 'ENTERED' : 'LEFT'} ${time}`);
    [this.side, this.awaitsStay] = [side, side === 'in'];
    if (side === 'in') this.arrived = time;
  }

  forgets(): void {
    [this.side, this.awaitsStay] = [null, false];
  }
}

interface Real {
  home: FenceFixture;
  /** The time that the world has come to. */
  now: number;
}

type Step = fc.AsyncCommand<Model, Real>;

/** A step that may be taken at any time, legal or not. */
function step(name: string, seconds: number, take: (model: Model, real: Real) => Promise<void>): Step {
  return {
    check: () => true,
    toString: () => `${name} after ${seconds} s`,
    run: async (model, real) => {
      real.now += seconds * 1_000;
      jest.spyOn(Date, 'now').mockReturnValue(real.now);
      await take(model, real);
      expect(await real.home.told()).toEqual(model.told);
    },
  };
}

const update = ({ home }: Real, more: object) =>
  replica.get(FencesService).update(home.home.owner, { cid: home.cid, fenceId: home.fence.fenceId, ...more });

const pauses = fc.integer({ min: 20, max: 200 });
const fixes = (metres: number, radius: number, side: 'in' | 'out' | null) =>
  pauses.map((seconds) =>
    step(`${side ?? 'unsure'} at ${metres}`, seconds, async (model, real) => {
      await real.home.report([real.home.fix(real.now, metres, { radius })]);
      if (side) model.sees(side, real.now);
      else if (model.enabled) model.passes(real.now);
    }),
  );

const COMMANDS = [
  fixes(0, 0, 'in'),
  fixes(-60, 30, 'in'),
  fixes(500, 200, 'out'),
  fixes(112, 0, 'out'),
  fixes(105, 0, null),
  fixes(0, 150, null),
  pauses.map((seconds) =>
    step('the clock', seconds, async (model, real) => {
      await real.home.tick(real.now);
      if (model.enabled) model.passes(real.now - GRACE);
    }),
  ),
  pauses.map((seconds) =>
    step('off', seconds, async (model, real) => {
      await update(real, { enabled: false });
      model.enabled = false;
      model.forgets();
    }),
  ),
  pauses.map((seconds) =>
    step('on', seconds, async (model, real) => {
      await update(real, { enabled: true });
      model.enabled = true;
    }),
  ),
  pauses.map((seconds) => step('renamed', seconds, async (_, real) => void (await update(real, { name: 'Other' })))),
  pauses.map((seconds) =>
    step('moved a metre', seconds, async (model, real) => {
      const [{ circle: before } = { circle: null }] = (
        await replica.get(FencesService).list(real.home.home.owner, real.home.cid)
      ).items;
      await update(real, circle(0, before?.radius === 100 ? 101 : 100));
      model.forgets();
    }),
  ),
  pauses.map((seconds) =>
    step('changed by who has not seen it', seconds, async (_, real) => {
      await expect(update(real, { ...circle(900), version: 1_000 })).rejects.toMatchObject({ reason: 'VERSION_STALE' });
    }),
  ),
];

it('does what the model says, in any order of steps, legal or not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 20, size: 'max' }), async (commands) => {
      const notify = { entered: true, left: true, dwelled: true };
      const home = await FenceFixture.settle(world, replica, { notify, dwell: DWELL / 1_000 });
      const now = Date.now();
      try {
        await fc.asyncModelRun(() => ({ model: new Model(), real: { home, now } }), commands);
      } finally {
        jest.restoreAllMocks();
      }
    }),
    { numRuns: propertyRuns(8) },
  );
});
