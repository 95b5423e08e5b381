import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { POINT_TYPE } from '@family-watch/domain/locations/contracts/location';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { LocationService } from '../../../src/contexts/locations/location.service.js';
import { EraseChildLocationsHandler } from '../../../src/contexts/locations/erase-child-locations.handler.js';
import { TrackService } from '../../../src/contexts/locations/track/track.service.js';
import { VisitsService } from '../../../src/contexts/locations/visits/visits.service.js';
import { PointCorrectionRetentionJob } from '../../../src/contexts/locations/corrections/point-correction-retention.job.js';
import { PointCorrectionService } from '../../../src/contexts/locations/corrections/point-correction.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const MINUTE = 60_000;

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let locations: LocationService;
let reports: PointCorrectionService;
let home: BoundFamilyFixture;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The tests say when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  locations = replica.get(LocationService);
  reports = replica.get(PointCorrectionService);
});
beforeEach(async () => {
  home = await createBoundFamily(world, replica);
});
afterAll(() => world.close());

function point(positionTime: number, change: Partial<Location> = {}): Location {
  return { latitude: '31.2304', longitude: '121.4737', positionTime, radius: 15, pointType: POINT_TYPE.GPS, ...change };
}

const arrive = (...points: Location[]) => locations.report(home.watch.principal, points);
const named = (positionTime: number) => ({ cid: home.cid, positionTime, pointType: POINT_TYPE.GPS });
const wrong = (positionTime: number) => reports.report(home.owner, named(positionTime));
const right = (positionTime: number) => reports.withdraw(home.owner, named(positionTime));
const lastTime = async () => (await locations.findLast(home.owner, home.cid))?.positionTime ?? null;
const changes = async () => {
  const events = await world.events('userctx.location.changed', home.familyId);
  return events.map(({ location, corrects }) => [location.positionTime, corrects ?? null]);
};

describe('a position that a guardian says is wrong', () => {
  it('gives way to the newest that can be believed, stays in the track, and is no measure for others', async () => {
    const now = Date.now();
    const far = { latitude: '31.9304' };
    // Taken for good: an hour lies between them.
    await arrive(point(now - 62 * MINUTE), point(now - 2 * MINUTE, far));
    expect(await lastTime()).toBe(now - 2 * MINUTE);
    const { location } = await reports.report(home.owner, { ...named(now - 2 * MINUTE), comment: 'We were at home' });
    expect(location?.positionTime).toBe(now - 62 * MINUTE);
    expect(await changes()).toEqual([
      [now - 2 * MINUTE, null],
      [now - 62 * MINUTE, now - 2 * MINUTE],
    ]);
    // Back at home a minute later is no impossible speed any more.
    const [verdict] = await arrive(point(now - MINUTE));
    expect(verdict).toMatchObject({ accepted: true, flags: [] });
    expect(await lastTime()).toBe(now - MINUTE);
    const range = { cid: home.cid, from: now - 70 * MINUTE, to: now };
    const all = await replica.get(TrackService).findTrack(home.owner, range);
    expect(all.items.map(({ flags }) => flags)).toEqual([['LATE'], ['REPORTED_WRONG'], []]);
    const credible = await replica.get(TrackService).findTrack(home.owner, { ...range, credibleOnly: true });
    expect(credible.items.map(({ flags }) => flags)).toEqual([['LATE'], []]);
  });

  it('said again, it is remembered once; taken back, it is the last location again', async () => {
    const now = Date.now();
    await arrive(point(now - 2 * MINUTE), point(now - MINUTE));
    await wrong(now - MINUTE);
    await wrong(now - MINUTE);
    expect(await world.query('select 1 from userctx.location_wrong_report where cid = $1', [home.cid])).toHaveLength(1);
    expect((await right(now - MINUTE)).location).toMatchObject({ positionTime: now - MINUTE, flags: [] });
    await right(now - MINUTE);
    expect(await world.query('select 1 from userctx.location_wrong_report where cid = $1', [home.cid])).toEqual([]);
    expect((await changes()).map(([time]) => time)).toEqual([now - MINUTE, now - 2 * MINUTE, now - MINUTE]);
  });

  it('that was the only one leaves nobody knowing where the child is', async () => {
    const now = Date.now();
    await arrive(point(now - MINUTE));
    expect(await wrong(now - MINUTE)).toEqual({ location: null });
    expect(await locations.findLast(home.owner, home.cid)).toBeNull();
    const [withdrawn] = await world.events('userctx.location.withdrawn', home.familyId);
    expect(withdrawn).toEqual({ familyId: home.familyId, cid: home.cid, positionTime: now - MINUTE });
    // The watch sends it again: known, and as wrong as before.
    expect(await arrive(point(now - MINUTE))).toMatchObject([{ accepted: true, flags: ['REPORTED_WRONG'] }]);
    expect(await lastTime()).toBeNull();
  });

  it('leaves a good position to a rough newer one only when it has grown old', async () => {
    const now = Date.now();
    const rough = { radius: 9_000, pointType: POINT_TYPE.CELL };
    await arrive(point(now - 50 * MINUTE), point(now - 40 * MINUTE, rough), point(now - MINUTE));
    expect((await wrong(now - MINUTE)).location?.positionTime).toBe(now - 50 * MINUTE);
    await arrive(point(now - 15 * MINUTE, rough), point(now - 5 * MINUTE));
    expect((await wrong(now - 5 * MINUTE)).location?.positionTime).toBe(now - 15 * MINUTE);
  });

  it('is no stay of the child', async () => {
    const now = Date.now();
    const times = Array.from({ length: 16 }, (_, minute) => now - (20 - minute) * MINUTE);
    await arrive(...times.map((time) => point(time)));
    const visits = () => replica.get(VisitsService).list(home.owner, { cid: home.cid, from: now - 3_600_000, to: now });
    expect((await visits()).items).toMatchObject([{ from: times[0], to: times.at(-1), radius: 0 }]);
    for (const time of times.slice(0, 8)) await wrong(time);
    expect((await visits()).items).toEqual([]);
  });
});

describe('who may say so, and of what', () => {
  it('a position of nothing, of another moment, kind or watch, and of another family’s child, are not found', async () => {
    const now = Date.now();
    await arrive(point(now));
    const other = await createBoundFamily(world, replica);
    const before = await world.query('select * from userctx.location_point order by did, position_time');
    const cases: [object, string][] = [
      [{ positionTime: now + 1 }, 'POINT_NOT_FOUND'],
      [{ pointType: POINT_TYPE.WIFI }, 'POINT_NOT_FOUND'],
      [{ did: other.watch.did }, 'POINT_NOT_FOUND'],
      [{ cid: other.cid }, 'CHILD_NOT_FOUND'],
      [{ cid: 'nonsense' }, 'CHILD_NOT_FOUND'],
    ];
    for (const [change, reason] of cases) {
      const request = { ...named(now), ...change };
      expect(await outcomeOf(() => reports.report(home.owner, request))).toBe(reason);
      expect(await outcomeOf(() => reports.withdraw(home.owner, request))).toBe(reason);
    }
    expect(await outcomeOf(() => reports.report(other.owner, named(now)))).toBe('CHILD_NOT_FOUND');
    expect(await outcomeOf(() => reports.report(home.watch.principal, named(now)))).toBe('PERMISSION_MISSING');
    expect(await world.query('select * from userctx.location_point order by did, position_time')).toEqual(before);
  });

  it('nothing of it is kept of an erased child, and none for more than thirty days', async () => {
    const now = Date.now();
    const count = async () => (await world.query('select 1 from userctx.location_wrong_report')).length;
    await world.query('delete from userctx.location_wrong_report');
    await arrive(point(now - MINUTE), point(now));
    await wrong(now);
    await replica.get(PointCorrectionRetentionJob).run(now + 29 * 86_400_000);
    expect(await count()).toBe(1);
    await replica.get(PointCorrectionRetentionJob).run(now + 31 * 86_400_000);
    expect(await count()).toBe(0);
    await wrong(now - MINUTE);
    const payload = { familyId: home.familyId, cid: home.cid };
    await world.deliver(replica, replica.get(EraseChildLocationsHandler), { name: 'userctx.child.erased', payload });
    expect(await count()).toBe(0);
  });
});

it('whatever is said and taken back, the last location is the newest position that nobody has called wrong', async () => {
  const steps = fc.array(
    fc.record({ what: fc.constantFrom('arrive', 'arrive', 'wrong', 'wrong', 'right'), minute: fc.nat({ max: 8 }) }),
    { minLength: 5, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (walk) => {
      home = await createBoundFamily(world, replica);
      const start = Date.now() - 9 * MINUTE;
      const good = new Map<number, boolean>();
      for (const { what, minute } of walk) {
        const time = start + minute * MINUTE;
        if (what === 'arrive') {
          await arrive(point(time));
          if (!good.has(time)) good.set(time, true);
        } else {
          const outcome = await outcomeOf(() => (what === 'wrong' ? wrong(time) : right(time)));
          expect(outcome).toBe(good.has(time) ? 'ok' : 'POINT_NOT_FOUND');
          if (good.has(time)) good.set(time, what === 'right');
        }
        const believed = [...good].flatMap(([at, isGood]) => (isGood ? [at] : []));
        expect(await lastTime()).toBe(believed.length === 0 ? null : Math.max(...believed));
      }
    }),
    { numRuns: propertyRuns(4) },
  );
});
