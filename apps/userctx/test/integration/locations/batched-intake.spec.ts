import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { POINT_TYPE } from '@family-watch/domain/locations/contracts/location';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location-report.dto';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { LocationIntakeService } from '../../../src/contexts/locations/intake/location-intake.service.js';
import type { LocationReport } from '../../../src/contexts/locations/intake/location-intake.service.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const SECOND = 1_000;
const CHILDREN = 3;

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let intake: LocationIntakeService;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  replica = await world.replica();
  intake = replica.get(LocationIntakeService);
});

afterAll(() => world.close());

interface Home {
  cid: string;
  did: number;
}

async function homes(): Promise<Home[]> {
  const made: Home[] = [];
  for (let index = 0; index < CHILDREN; index += 1) {
    const owner = await world.person(replica);
    const cid = await world.child(replica, owner);
    const watch = await TestWatch.enrolled(replica);
    await watch.bindTo(replica, owner, cid);
    made.push({ cid, did: watch.did });
  }
  return made;
}

/** One step of a child: on by some seconds and metres, a jump that nobody can make, a rough fix, or something again. */
const steps = fc.array(
  fc.record({
    child: fc.nat(CHILDREN - 1),
    what: fc.constantFrom('walk', 'walk', 'walk', 'jump', 'rough', 'again', 'contradict', 'broken'),
    seconds: fc.integer({ min: 1, max: 60 }),
    /** Begins a new report of its child. */
    apart: fc.boolean(),
    /** Begins a new batch. */
    cut: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);

type Script = typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never;

interface Told {
  child: number;
  points: unknown[];
  cut: boolean;
}

function toldBy(script: Script, start: number): Told[] {
  const told: Told[] = [];
  const last: (Location | undefined)[] = [];
  let north = 0;
  for (const { child, what, seconds, apart, cut } of script) {
    const before = last[child];
    north += what === 'jump' ? 5 : 0.0001;
    const latitude = (10 + north).toFixed(6);
    const positionTime = (before?.positionTime ?? start) + seconds * SECOND;
    const walked = { latitude, longitude: '20', positionTime, radius: 10, pointType: POINT_TYPE.GPS };
    let point: unknown = walked;
    const rough = { ...walked, radius: 9_000 };
    if (what === 'rough') point = rough;
    if (what === 'broken') point = { ...walked, latitude: 'north' };
    if (what === 'again') point = before ?? walked;
    if (what === 'contradict') point = before ? { ...before, latitude: '11.5' } : walked;
    // What comes out of the order of time may end elsewhere: together it is judged in order.
    if (point === walked) last[child] = walked;
    if (point === rough) last[child] = rough;
    const open = told.findLast((report) => report.child === child);
    if (!open || apart || cut) told.push({ child, points: [point], cut });
    else open.points.push(point);
  }
  return told;
}

async function outcomeOf(cids: readonly string[]): Promise<unknown> {
  const points = await world.query(
    `select array_position($1::uuid[], cid) as child, position_time, latitude, flags from userctx.location_point
      where cid = any($1::uuid[]) order by 1, 2, 3`,
    [cids],
  );
  const last = await world.query(
    `select array_position($1::uuid[], cid) as child, position_time, latitude, newest_time, newest_credible_time
       from userctx.child_location where cid = any($1::uuid[]) order by 1`,
    [cids],
  );
  return { points, last };
}

describe('the intake of many reports', () => {
  it('comes to the same as one report after the other', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const [alone, together] = [await homes(), await homes()];
        const receivedAt = Date.now() + 5 * SECOND;
        const reportOf = (home: readonly Home[], { child, points }: Told): LocationReport => ({
          did: home[child]?.did ?? 0,
          points,
          receivedAt,
        });
        const told = toldBy(script, Date.now() - 60 * SECOND);
        const one: (PointResultDto[] | null)[] = [];
        for (const report of told) one.push(await intake.process(reportOf(alone, report)));
        const all: (PointResultDto[] | null)[] = [];
        let batch: LocationReport[] = [];
        for (const report of told) {
          if (report.cut) all.push(...(await intake.processAll(batch.splice(0))));
          batch = [...batch, reportOf(together, report)];
        }
        all.push(...(await intake.processAll(batch)));
        expect(all).toEqual(one);
        expect(await outcomeOf(together.map(({ cid }) => cid))).toEqual(await outcomeOf(alone.map(({ cid }) => cid)));
      }),
      { numRuns: propertyRuns(4), endOnFailure: true },
    );
  }, 360_000);

  it('answers each report in its place, also those of watches that act as nobody', async () => {
    const [home] = await homes();
    const stray = await TestWatch.enrolled(replica);
    const point = { latitude: '1', longitude: '2', positionTime: Date.now(), radius: 5, pointType: POINT_TYPE.GPS };
    const receivedAt = Date.now();
    const answers = await intake.processAll([
      { did: stray.did, points: [point], receivedAt },
      { did: home?.did ?? 0, points: [point, 'no point'], receivedAt },
    ]);
    expect(answers).toEqual([
      null,
      [
        { index: 0, accepted: true, flags: [], reason: null },
        { index: 1, accepted: false, flags: [], reason: 'NOT_AN_OBJECT' },
      ],
    ]);
    expect(await intake.processAll([])).toEqual([]);
  });
});
