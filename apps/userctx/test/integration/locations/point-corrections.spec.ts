import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { POINT_TYPE, type Location } from '@family-watch/domain/locations/contracts/location';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { LocationService } from '../../../src/locations/location.service.js';
import { PointCorrectionService } from '../../../src/locations/point-correction.service.js';
import { outcomeOf, createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const MINUTE_MS = 60_000;

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let locations: LocationService;
let corrections: PointCorrectionService;
let family: BoundFamilyFixture;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a test delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  locations = replica.get(LocationService);
  corrections = replica.get(PointCorrectionService);
});
beforeEach(async () => {
  family = await createBoundFamily(environment, replica);
});
afterAll(() => environment.close());

function point(positionTime: number, change: Partial<Location> = {}): Location {
  return { latitude: '31.2304', longitude: '121.4737', positionTime, radius: 15, pointType: POINT_TYPE.GPS, ...change };
}

const reportPoints = (...points: Location[]) => locations.report(family.watch.principal, points);
const referenceTo = (positionTime: number) => ({ cid: family.cid, positionTime, pointType: POINT_TYPE.GPS });
const reportWrong = (positionTime: number) => corrections.report(family.owner, referenceTo(positionTime));
const withdrawReport = (positionTime: number) => corrections.withdraw(family.owner, referenceTo(positionTime));
const lastTime = async () => (await locations.findLast(family.owner, family.cid))?.positionTime ?? null;
const publishedChanges = async () => {
  const events = await environment.events('userctx.location.changed', family.familyId);
  return events.map(({ location, corrects }) => [location.positionTime, corrects ?? null]);
};

describe('a point reported as wrong', () => {
  test('is replaced by the newest credible point, stays in the track and does not affect other points', async () => {
    const now = Date.now();
    const far = { latitude: '31.9304' };
    // Both points are credible, because they are an hour apart.
    await reportPoints(point(now - 62 * MINUTE_MS), point(now - 2 * MINUTE_MS, far));
    expect(await lastTime()).toBe(now - 2 * MINUTE_MS);
    const { location } = await corrections.report(family.owner, {
      ...referenceTo(now - 2 * MINUTE_MS),
      comment: 'We were at home',
    });
    expect(location?.positionTime).toBe(now - 62 * MINUTE_MS);
    expect(await publishedChanges()).toEqual([
      [now - 2 * MINUTE_MS, null],
      [now - 62 * MINUTE_MS, now - 2 * MINUTE_MS],
    ]);
    // A point at home a minute later is credible, because the wrong point does not affect its assessment.
    const [result] = await reportPoints(point(now - MINUTE_MS));
    expect(result).toMatchObject({ accepted: true, flags: [] });
    expect(await lastTime()).toBe(now - MINUTE_MS);
    const range = { cid: family.cid, from: now - 70 * MINUTE_MS, to: now };
    const fullTrack = await replica.get(LocationService).findTrack(family.owner, range);
    expect(fullTrack.items.map(({ flags }) => flags)).toEqual([['LATE'], ['REPORTED_WRONG'], []]);
    const credibleTrack = await replica.get(LocationService).findTrack(family.owner, { ...range, credibleOnly: true });
    expect(credibleTrack.items.map(({ flags }) => flags)).toEqual([['LATE'], []]);
  });

  test('is recorded as a location that the reporting person has seen', async () => {
    const now = Date.now();
    await reportPoints(point(now - 2 * MINUTE_MS), point(now - MINUTE_MS));
    expect(await outcomeOf(() => reportWrong(now))).toBe('POINT_NOT_FOUND');
    expect(await environment.kindsSeenBy(family.owner, family.cid, replica)).toEqual([]);
    await reportWrong(now - MINUTE_MS);
    expect(await environment.kindsSeenBy(family.owner, family.cid, replica)).toEqual(['LOCATION']);
  });

  test('has one report when reported twice, and is the last location again when the report is withdrawn', async () => {
    const now = Date.now();
    await reportPoints(point(now - 2 * MINUTE_MS), point(now - MINUTE_MS));
    await reportWrong(now - MINUTE_MS);
    await reportWrong(now - MINUTE_MS);
    expect(
      await environment.query('SELECT 1 FROM userctx.location_wrong_report WHERE cid = $1', [family.cid]),
    ).toHaveLength(1);
    expect((await withdrawReport(now - MINUTE_MS)).location).toMatchObject({
      positionTime: now - MINUTE_MS,
      flags: [],
    });
    await withdrawReport(now - MINUTE_MS);
    expect(await environment.query('SELECT 1 FROM userctx.location_wrong_report WHERE cid = $1', [family.cid])).toEqual(
      [],
    );
    expect((await publishedChanges()).map(([time]) => time)).toEqual([
      now - MINUTE_MS,
      now - 2 * MINUTE_MS,
      now - MINUTE_MS,
    ]);
  });

  test('leaves the child without a last location if it was the only point', async () => {
    const now = Date.now();
    await reportPoints(point(now - MINUTE_MS));
    expect(await reportWrong(now - MINUTE_MS)).toEqual({ location: null });
    expect(await locations.findLast(family.owner, family.cid)).toBeNull();
    const [withdrawn] = await environment.events('userctx.location.withdrawn', family.familyId);
    expect(withdrawn).toEqual({ familyId: family.familyId, cid: family.cid, positionTime: now - MINUTE_MS });
    // The point stays flagged as wrong when the watch sends it again.
    expect(await reportPoints(point(now - MINUTE_MS))).toMatchObject([{ accepted: true, flags: ['REPORTED_WRONG'] }]);
    expect(await lastTime()).toBeNull();
  });

  test('is replaced by a newer inaccurate point only if the newest accurate point is old', async () => {
    const now = Date.now();
    const inaccurate = { radius: 9_000, pointType: POINT_TYPE.CELL };
    await reportPoints(point(now - 50 * MINUTE_MS), point(now - 40 * MINUTE_MS, inaccurate), point(now - MINUTE_MS));
    expect((await reportWrong(now - MINUTE_MS)).location?.positionTime).toBe(now - 50 * MINUTE_MS);
    await reportPoints(point(now - 15 * MINUTE_MS, inaccurate), point(now - 5 * MINUTE_MS));
    expect((await reportWrong(now - 5 * MINUTE_MS)).location?.positionTime).toBe(now - 15 * MINUTE_MS);
  });

  test('does not count towards a visit', async () => {
    const now = Date.now();
    const times = Array.from({ length: 16 }, (_, minute) => now - (20 - minute) * MINUTE_MS);
    await reportPoints(...times.map((time) => point(time)));
    const visits = () =>
      replica.get(LocationService).listVisits(family.owner, { cid: family.cid, from: now - 3_600_000, to: now });
    expect((await visits()).items).toMatchObject([{ from: times[0], to: times.at(-1), radius: 0 }]);
    for (const time of times.slice(0, 8)) await reportWrong(time);
    expect((await visits()).items).toEqual([]);
  });
});

describe('authorization and lookup of corrections', () => {
  test("rejects an unknown time, point type or watch and another family's child as not found", async () => {
    const now = Date.now();
    await reportPoints(point(now));
    const other = await createBoundFamily(environment, replica);
    const before = await environment.query('SELECT * FROM userctx.location_point ORDER BY did, position_time');
    const cases: [object, string][] = [
      [{ positionTime: now + 1 }, 'POINT_NOT_FOUND'],
      [{ pointType: POINT_TYPE.WIFI }, 'POINT_NOT_FOUND'],
      [{ did: other.watch.did }, 'POINT_NOT_FOUND'],
      [{ cid: other.cid }, 'CHILD_NOT_FOUND'],
      [{ cid: 'nonsense' }, 'CHILD_NOT_FOUND'],
    ];
    for (const [change, reason] of cases) {
      const request = { ...referenceTo(now), ...change };
      expect(await outcomeOf(() => corrections.report(family.owner, request))).toBe(reason);
      expect(await outcomeOf(() => corrections.withdraw(family.owner, request))).toBe(reason);
    }
    expect(await outcomeOf(() => corrections.report(other.owner, referenceTo(now)))).toBe('CHILD_NOT_FOUND');
    expect(await outcomeOf(() => corrections.report(family.watch.principal, referenceTo(now)))).toBe(
      'PERMISSION_MISSING',
    );
    expect(await environment.query('SELECT * FROM userctx.location_point ORDER BY did, position_time')).toEqual(before);
  });

  test('deletes corrections after thirty days and when the child is erased', async () => {
    const now = Date.now();
    const count = async () => (await environment.query('SELECT 1 FROM userctx.location_wrong_report')).length;
    await environment.query('DELETE FROM userctx.location_wrong_report');
    await reportPoints(point(now - MINUTE_MS), point(now));
    await reportWrong(now);
    await replica.get(PointCorrectionService).deleteOld(now + 29 * 86_400_000);
    expect(await count()).toBe(1);
    await replica.get(PointCorrectionService).deleteOld(now + 31 * 86_400_000);
    expect(await count()).toBe(0);
    await reportWrong(now - MINUTE_MS);
    await environment.deliverErasure(replica, 'userctx.locations.erase-child', family);
    expect(await count()).toBe(0);
  });
});

test('the last location is the newest point not reported as wrong, after any sequence of reports', async () => {
  const sequences = fc.array(
    fc.record({
      action: fc.constantFrom('report', 'report', 'reportWrong', 'reportWrong', 'withdraw'),
      minute: fc.nat({ max: 8 }),
    }),
    { minLength: 5, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(sequences, async (steps) => {
      family = await createBoundFamily(environment, replica);
      const start = Date.now() - 9 * MINUTE_MS;
      const credibilityByTime = new Map<number, boolean>();
      for (const { action, minute } of steps) {
        const time = start + minute * MINUTE_MS;
        if (action === 'report') {
          await reportPoints(point(time));
          if (!credibilityByTime.has(time)) credibilityByTime.set(time, true);
        } else {
          const outcome = await outcomeOf(() => (action === 'reportWrong' ? reportWrong(time) : withdrawReport(time)));
          expect(outcome).toBe(credibilityByTime.has(time) ? 'ok' : 'POINT_NOT_FOUND');
          if (credibilityByTime.has(time)) credibilityByTime.set(time, action === 'withdraw');
        }
        const credibleTimes = [...credibilityByTime].flatMap(([at, isCredible]) => (isCredible ? [at] : []));
        expect(await lastTime()).toBe(credibleTimes.length === 0 ? null : Math.max(...credibleTimes));
      }
    }),
    { numRuns: propertyRuns(4) },
  );
});
