import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { StoredPointDto, VisitDto } from '@family-watch/domain/locations/dto/track.dto';
import { LocationService } from '../../../src/locations/location.service.js';
import { maintainLocationPartitions } from '../../../src/database/location-partitions.js';
import { outcomeOf, createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
const START_TIME = Date.parse('2026-03-10T00:00:00Z');

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let locations: LocationService;
let family: BoundFamilyFixture;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
  locations = replica.get(LocationService);
  family = await createBoundFamily(environment, replica);
});
afterAll(() => environment.close());

/**
 * Stores points of the child as the location intake does. `latitude` and `flags` are SQL expressions over the index `n`
 * of the point.
 */
async function storePoints(
  count: number,
  intervalMs: number,
  latitude: string,
  { from = START_TIME, flags = '0' } = {},
): Promise<void> {
  await environment.query('DELETE FROM userctx.location_point');
  await environment.query(
    `INSERT INTO userctx.location_point
       (did, position_time, point_type, cid, latitude, longitude, radius, flags, received_at)
     SELECT $1, $2::bigint + n * $3::bigint, 1, $4, round((${latitude})::numeric, 7), 121.4737, 10, ${flags}, 0
       FROM generate_series(0, $5::integer - 1) n`,
    [family.watch.did, from, intervalMs, family.cid, count],
  );
}

async function readPages<Item>(
  read: (page: { limit: number; cursor?: string }) => Promise<{ items: Item[]; nextCursor: string | null }>,
  limit: number,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await read({ limit, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    expect(page.items).toHaveLength(limit);
    cursor = page.nextCursor;
  }
}

describe('a simplified track', () => {
  test('contains the corners and all flagged points, with any page size', async () => {
    // The track is a zigzag with a corner every hundred points; every 250th point has an impossible speed.
    await storePoints(2_000, 5_000, '31 + abs(100 - mod(n, 200)) * 0.0001', {
      flags: 'case when mod(n, 250) = 17 then 4 else 0 end',
    });
    const range = { cid: family.cid, from: START_TIME, to: START_TIME + DAY_MS };
    const read = (limit: number, extra: object = {}) =>
      readPages<StoredPointDto>(
        (page) => locations.findTrack(family.owner, { ...range, simplify: 5, ...extra, ...page }),
        limit,
      );
    const simplified = await read(200);
    const indexes = simplified.map(({ positionTime }) => (positionTime - START_TIME) / 5_000);
    const corners = Array.from({ length: 20 }, (_, index) => index * 100);
    const flagged = Array.from({ length: 8 }, (_, index) => index * 250 + 17);
    expect(indexes).toEqual([...corners, ...flagged, 1_999].toSorted((a, b) => a - b));
    expect(simplified.filter(({ flags }) => flags.length > 0)).toHaveLength(8);
    expect(await read(7)).toEqual(simplified);
    const credible = await read(7, { credibleOnly: true });
    expect(credible).toEqual(simplified.filter(({ flags }) => flags.length === 0));
    const fullTrack = await readPages((page) => locations.findTrack(family.owner, { ...range, ...page }), 200);
    expect(fullTrack).toHaveLength(2_000);
  });

  test('is rejected for a period of more than a day or with more than 20,000 points', async () => {
    await storePoints(20_001, 4_000, '31 + n * 0.00001');
    const range = { cid: family.cid, from: START_TIME, to: START_TIME + DAY_MS, simplify: 10 };
    const longest = await locations.findTrack(family.owner, { ...range, to: START_TIME + 20_000 * 4_000 });
    expect(longest.items.length).toBeLessThan(20);
    await expect(locations.findTrack(family.owner, range)).rejects.toMatchObject({
      details: [{ field: 'to', rule: 'maxPoints' }],
    });
    const tooLong = locations.findTrack(family.owner, { ...range, to: START_TIME + DAY_MS + 1 });
    await expect(tooLong).rejects.toMatchObject({ details: [{ field: 'to', rule: 'isNearFrom' }] });
  });

  test('is rejected for an empty or reversed period, as are full tracks and visits', async () => {
    for (const to of [START_TIME, START_TIME - 1]) {
      for (const extra of [{}, { simplify: 10 }]) {
        const track = locations.findTrack(family.owner, { cid: family.cid, from: START_TIME, to, ...extra });
        await expect(track).rejects.toMatchObject({ reason: 'VALIDATION_FAILED', details: [{ field: 'to' }] });
      }
      const visits = locations.listVisits(family.owner, { cid: family.cid, from: START_TIME, to });
      await expect(visits).rejects.toMatchObject({ reason: 'VALIDATION_FAILED', details: [{ field: 'to' }] });
    }
  });
});

describe('visits', () => {
  test('are detected in the points of a week and returned in pages', async () => {
    // For a week, the child repeatedly stays half an hour at each end of a route of six kilometres.
    await storePoints(7 * 1_440, MINUTE_MS, '31 + least(greatest(abs(60 - mod(n, 120)) - 15, 0), 30) * 0.0018');
    const range = { cid: family.cid, from: START_TIME, to: START_TIME + 7 * DAY_MS };
    const read = (limit: number) =>
      readPages<VisitDto>((page) => locations.listVisits(family.owner, { ...range, ...page }), limit);
    const found = await read(200);
    expect(found).toHaveLength(2 * 12 * 7 + 1);
    expect(found.slice(1, -1).every(({ from, to }) => Math.abs(to - from - 30 * MINUTE_MS) <= MINUTE_MS)).toBe(true);
    expect(await read(10)).toEqual(found);
    const tooLong = locations.listVisits(family.owner, { ...range, to: range.to + 1 });
    await expect(tooLong).rejects.toMatchObject({ details: [{ field: 'to', rule: 'isNearFrom' }] });
    const otherFamily = await createBoundFamily(environment, replica);
    const ownRange = { ...range, cid: otherFamily.cid };
    expect((await locations.listVisits(otherFamily.owner, ownRange)).items).toEqual([]);
    expect(await outcomeOf(() => locations.listVisits(otherFamily.owner, range))).toBe('CHILD_NOT_FOUND');
  });

  test('are detected from one point per minute if the watch has reported every five seconds', async () => {
    await storePoints(2 * 720, 5_000, '31 + case when mod(n, 12) = 3 then 0.0000003 else 0.0000004 end');
    const range = { cid: family.cid, from: START_TIME, to: START_TIME + DAY_MS };
    const [stay, ...others] = (await locations.listVisits(family.owner, range)).items;
    expect(others).toEqual([]);
    expect(stay).toMatchObject({ from: START_TIME, to: START_TIME + 119 * MINUTE_MS });
  });
});

test('points are dropped with their day partition after thirty days', async () => {
  const now = Date.now();
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  await storePoints(32, DAY_MS, '31.2304', { from: today - 31 * DAY_MS });
  const maintain = (time: number) =>
    maintainLocationPartitions(
      { url: environment.testDatabase.migrationUrl, variableName: 'MIGRATION_DATABASE_URL' },
      { now: time },
    );
  const remainingDays = async () => {
    const { items } = await locations.findTrack(family.owner, {
      cid: family.cid,
      from: 0,
      to: now + DAY_MS,
      limit: 200,
    });
    return items.map(({ positionTime }) => (positionTime - today) / DAY_MS);
  };
  expect(await remainingDays()).toHaveLength(32);
  await maintain(now);
  expect((await remainingDays())[0]).toBe(-30);
  await maintain(now + 10 * DAY_MS);
  expect((await remainingDays())[0]).toBe(-20);
  await maintain(now + 31 * DAY_MS);
  expect(await remainingDays()).toEqual([]);
});
