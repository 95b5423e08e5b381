import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { POINT_TYPE, type Location } from '@family-watch/domain/locations/contracts/location';
import { ChildrenService } from '../../../src/families/children/children.service.js';
import { LocationService } from '../../../src/locations/location.service.js';
import { WatchBindingService } from '../../../src/watches/binding/watch-binding.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const MINUTE_MS = 60_000;

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let locations: LocationService;
let owner: Principal;
let cid: string;
let familyId: string;
let watch: TestWatch;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a test delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  locations = replica.get(LocationService);
});

beforeEach(async () => {
  ({ owner, cid, familyId, watch } = await createBoundFamily(environment, replica));
});

afterAll(() => environment.close());

const errorWith = (reason: string) => expect.objectContaining({ reason });

function point(positionTime: number, change: Partial<Location> = {}): Location {
  return { latitude: '31.2304', longitude: '121.4737', positionTime, radius: 15, pointType: POINT_TYPE.GPS, ...change };
}

function deliverReport(points: Location[], receivedAt = Date.now(), did = watch.did): Promise<void> {
  const payload = { did, points, receivedAt };
  return environment.deliver(replica, 'userctx.locations.store-reported-points', {
    name: 'gateway.location.reported',
    payload,
  });
}

async function countStoredPoints(child = cid): Promise<number> {
  const [row] = await environment.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM userctx.location_point WHERE cid = $1',
    [child],
  );
  return row?.count ?? 0;
}

const publishedChanges = () => environment.events('userctx.location.changed', familyId);

/** Returns the points of a walk north: one every ten seconds, eleven metres apart, ending now. */
function createWalk(length: number): Location[] {
  const start = Date.now() - length * 10_000;
  return Array.from({ length }, (_, index) =>
    point(start + index * 10_000, { latitude: (31 + index / 10_000).toFixed(4) }),
  );
}

/** Returns the items in another order, which is the same in every run. */
function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item, index) => ({ item, rank: (index * 7_919) % 1_009 }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

describe('a track that is reported out of order and with duplicates', () => {
  test("is stored without duplicates, and its newest point becomes the child's last location", async () => {
    const track = createWalk(871);
    const sent = shuffled([...track, ...track.slice(100, 300)]);
    for (let start = 0; start < sent.length; start += 90) await deliverReport(sent.slice(start, start + 90));
    await deliverReport(sent.slice(0, 90));

    expect(await countStoredPoints()).toBe(871);
    expect(await locations.findLast(owner, cid)).toMatchObject(track.at(-1) ?? {});
    const times = (await publishedChanges()).map(({ location }) => location.positionTime);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBe(track.at(-1)?.positionTime);

    const pages: Location[] = [];
    let cursor: string | undefined;
    const range = { cid, from: track[0]?.positionTime ?? 0, to: Date.now() };
    do {
      const page = await locations.findTrack(owner, { ...range, limit: 200, ...(cursor ? { cursor } : {}) });
      pages.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(pages.map(({ positionTime }) => positionTime)).toEqual(track.map(({ positionTime }) => positionTime));
    expect(pages.map(({ latitude }) => latitude)).toEqual(track.map(({ latitude }) => latitude));
  });

  test('is stored completely when its points are reported concurrently in several reports', async () => {
    const track = createWalk(300);
    const reports = Array.from({ length: 6 }, (_, index) => shuffled(track).slice(index * 50, index * 50 + 50));
    await Promise.all([...reports, ...reports].map((report) => locations.report(watch.principal, report)));
    expect(await countStoredPoints()).toBe(300);
    expect(await locations.findLast(owner, cid)).toMatchObject(track.at(-1) ?? {});
  });
});

describe('events from the event bus', () => {
  test('are processed once although they are delivered twice', async () => {
    const now = Date.now() + 1;
    const { did } = watch;
    const event = (name: string, payload: object) => ({
      id: crypto.randomUUID(),
      key: `watch:${did}`,
      time: now,
      name,
      payload,
    });
    const status = { charging: null, worn: true, signal: 2, signalMax: 4, stepTotal: 10, firmwareVersion: null };
    const events = [
      event('gateway.watch.started', { did, time: now, cause: 'USER' }),
      event('gateway.watch.status-reported', { ...status, battery: 64, did, time: now }),
      event('gateway.location.reported', { did, points: [point(now), point(now + 1)], receivedAt: now }),
    ];
    await environment.publish([...events, ...events]);
    expect(await countStoredPoints()).toBe(2);
    expect(await publishedChanges()).toHaveLength(1);
    const [child] = await replica.get(ChildrenService).list(owner);
    expect(child).toMatchObject({ device: { did, battery: 64 }, lastLocation: point(now + 1) });
    expect(await environment.query('SELECT 1 FROM userctx.parked')).toEqual([]);
  });
});

describe('A19 a location report', () => {
  test('returns a result per point: accepted, rejected or duplicate', async () => {
    const now = Date.now();
    const results = await locations.report(watch.principal, [
      point(now - MINUTE_MS),
      { ...point(now), latitude: '91' },
      'nonsense',
      point(now - MINUTE_MS),
      point(now - MINUTE_MS, { latitude: '31.2305' }),
      point(now + 10 * MINUTE_MS),
      point(now - 20 * MINUTE_MS, { radius: 40_000 }),
      point(now, { latitude: '39.9042', longitude: '116.4074' }),
    ]);
    expect(results).toEqual([
      { index: 0, accepted: true, flags: [], reason: null },
      { index: 1, accepted: false, flags: [], reason: 'INVALID_LATITUDE' },
      { index: 2, accepted: false, flags: [], reason: 'NOT_AN_OBJECT' },
      { index: 3, accepted: true, flags: [], reason: null },
      { index: 4, accepted: false, flags: [], reason: 'CONTRADICTS_STORED_POINT' },
      { index: 5, accepted: true, flags: ['FUTURE'], reason: null },
      { index: 6, accepted: true, flags: ['LATE', 'POOR_ACCURACY'], reason: null },
      { index: 7, accepted: true, flags: ['IMPOSSIBLE_SPEED'], reason: null },
    ]);
    expect(await countStoredPoints()).toBe(4);
    expect(await locations.findLast(owner, cid)).toMatchObject(point(now - MINUTE_MS));
    expect(await publishedChanges()).toHaveLength(1);
    // The watch repeats a report after a lost response: it receives the same result, and nothing changes.
    expect(await locations.report(watch.principal, [point(now + 10 * MINUTE_MS)])).toEqual([
      { index: 0, accepted: true, flags: ['FUTURE'], reason: null },
    ]);
    expect(await publishedChanges()).toHaveLength(1);
  });

  test('does not replace the last location with a point that is older or not credible', async () => {
    const now = Date.now();
    await deliverReport([point(now - 2 * MINUTE_MS)]);
    const inferiorPoints = [
      point(now + 60 * MINUTE_MS),
      point(now - MINUTE_MS, { latitude: '39.9042', longitude: '116.4074' }),
      point(now - MINUTE_MS, { radius: 9_000, pointType: POINT_TYPE.IP }),
      point(now - 3 * MINUTE_MS),
      point(now - 86_400_000),
    ];
    for (const inferiorPoint of inferiorPoints) await deliverReport([inferiorPoint]);
    expect(await countStoredPoints()).toBe(6);
    expect(await locations.findLast(owner, cid)).toMatchObject(point(now - 2 * MINUTE_MS));
    expect(await publishedChanges()).toHaveLength(1);
    const [child] = await replica.get(ChildrenService).list(owner);
    expect(child?.lastLocation).toEqual(point(now - 2 * MINUTE_MS));
  });

  test('assesses the speed of a late point from the point before it in time, not from the last received point', async () => {
    const now = Date.now();
    const far = { latitude: '39.9042', longitude: '116.4074' };
    await deliverReport([point(now - 5 * 60 * MINUTE_MS, far), point(now - MINUTE_MS)]);
    const [before, between] = await locations.report(watch.principal, [
      point(now - 5 * 60 * MINUTE_MS + 30_000, far),
      point(now - 5 * 60 * MINUTE_MS + MINUTE_MS),
    ]);
    expect(before?.flags).toEqual(['LATE']);
    expect(between?.flags).toEqual(['LATE', 'IMPOSSIBLE_SPEED']);
  });
});

describe('points that contradict each other', () => {
  const far = { latitude: '39.9042', longitude: '116.4074' };
  const storedFlags = async (from: number) =>
    (await locations.findTrack(owner, { cid, from, to: Date.now() })).items.map(({ flags }) => flags);

  test('three that agree overrule a wrong first one: it gets a flag, and they become the last location', async () => {
    const start = Date.now() - 5 * MINUTE_MS;
    await deliverReport([point(start, far)]);
    for (const minute of [1, 2]) await deliverReport([point(start + minute * MINUTE_MS)]);
    expect(await storedFlags(start)).toEqual([[], ['IMPOSSIBLE_SPEED'], ['IMPOSSIBLE_SPEED']]);
    expect(await locations.findLast(owner, cid)).toMatchObject(far);

    expect(await locations.report(watch.principal, [point(start + 3 * MINUTE_MS)])).toMatchObject([{ flags: [] }]);
    await deliverReport([point(start + 4 * MINUTE_MS)]);
    expect(await storedFlags(start)).toEqual([['IMPOSSIBLE_SPEED'], [], [], [], []]);
    expect(await locations.findLast(owner, cid)).toMatchObject(point(start + 4 * MINUTE_MS));
    const { items } = await locations.findTrack(owner, { cid, from: start, to: Date.now(), credibleOnly: true });
    expect(items.map(({ latitude }) => latitude)).toEqual(Array.from({ length: 4 }, () => '31.2304'));
    expect((await publishedChanges()).map(({ location }) => location.positionTime)).toEqual(
      [0, 3, 4].map((minute) => start + minute * MINUTE_MS),
    );
  });

  test('late ones that agree replace a wrong last location, which the event names', async () => {
    const start = Date.now() - 5 * MINUTE_MS;
    const wrong = point(start + 4 * MINUTE_MS, { ...far, pointType: POINT_TYPE.WIFI });
    await deliverReport([wrong]);
    await deliverReport([1, 2, 3].map((minute) => point(start + minute * MINUTE_MS)));
    expect(await storedFlags(start)).toEqual([[], [], [], ['IMPOSSIBLE_SPEED']]);
    expect(await locations.findLast(owner, cid)).toMatchObject(point(start + 3 * MINUTE_MS));
    expect((await publishedChanges()).at(-1)).toMatchObject({
      location: point(start + 3 * MINUTE_MS),
      corrects: wrong.positionTime,
    });
    await deliverReport([point(start + 3.5 * MINUTE_MS)]);
    expect(await locations.findLast(owner, cid)).toMatchObject(point(start + 3.5 * MINUTE_MS));
  });

  test('three of a worse type do not overrule the points before them when an old point arrives with them', async () => {
    const now = Date.now();
    const home = Array.from({ length: 400 }, (_, index) => point(now - (400 - index) * MINUTE_MS));
    for (let start = 0; start < 400; start += 100) await deliverReport(home.slice(start, start + 100));
    const wifi = [2.5, 1.5, 0.5].map((minutes) =>
      point(now - minutes * MINUTE_MS, { ...far, pointType: POINT_TYPE.WIFI }),
    );
    await deliverReport([point(now - 399.5 * MINUTE_MS), ...wifi]);
    expect(await storedFlags(now - 2.6 * MINUTE_MS)).toEqual([
      ['IMPOSSIBLE_SPEED'],
      [],
      ['IMPOSSIBLE_SPEED'],
      [],
      ['IMPOSSIBLE_SPEED'],
    ]);
    expect(await locations.findLast(owner, cid)).toMatchObject(home.at(-1) ?? {});
  });

  test('the newest of all credible points replaces a wrong last location', async () => {
    const start = Date.now() - 5 * MINUTE_MS;
    await deliverReport([point(start + 4 * MINUTE_MS, { ...far, pointType: POINT_TYPE.WIFI })]);
    for (const minute of [3, 2, 1]) await deliverReport([point(start + minute * MINUTE_MS)]);
    expect(await locations.findLast(owner, cid)).toMatchObject(point(start + 3 * MINUTE_MS));
  });

  test('zero, which receivers report without a fix, is not a location', async () => {
    const now = Date.now();
    const zero = (time: number) => point(time, { latitude: '0', longitude: '0.00' });
    const results = await locations.report(watch.principal, [zero(now - 2), zero(now - 1), point(now)]);
    expect(results?.map(({ flags }) => flags)).toEqual([['NO_FIX'], ['NO_FIX'], []]);
    expect(await locations.findLast(owner, cid)).toMatchObject(point(now));
  });
});

describe('a time more than a day ahead', () => {
  test('is replaced by the time of receipt, and the point is not credible', async () => {
    const receivedAt = Date.now();
    const year2046 = Date.parse('2046-07-01T00:00:00Z');
    await deliverReport([point(year2046 + 1), point(year2046), point(8_640_000_000_000_000)], receivedAt);
    await deliverReport([point(receivedAt + 86_400_000)], receivedAt);
    const { items } = await locations.findTrack(owner, { cid, from: 0, to: year2046 + 2 });
    expect(items.map(({ positionTime, flags }) => [positionTime - receivedAt, flags])).toEqual([
      [-2, ['FUTURE']],
      [-1, ['FUTURE']],
      [0, ['FUTURE']],
      [86_400_000, ['FUTURE']],
    ]);
    expect(await publishedChanges()).toEqual([]);
    await deliverReport([point(receivedAt + 1)]);
    const [row] = await environment.query<{ newest: number }>(
      'SELECT newest_time AS newest FROM userctx.child_location WHERE cid = $1',
      [cid],
    );
    expect(row?.newest).toBe(receivedAt + 1);
  });
});

describe('assigning a point to a child', () => {
  test('stores no point while the watch is unbound', async () => {
    const unbound = await TestWatch.createEnrolled(replica);
    await expect(locations.report(unbound.principal, [point(Date.now())])).rejects.toEqual(errorWith('WATCH_UNBOUND'));
    await deliverReport([point(Date.now())], Date.now(), unbound.did);
    expect(await environment.query('SELECT 1 FROM userctx.location_point WHERE did = $1', [unbound.did])).toEqual([]);
  });

  test('stores a point for the child to which the watch was bound at receipt, not for the current child', async () => {
    const receivedAt = Date.now() + 1;
    const second = await environment.createChild(replica, owner);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    await watch.bindTo(replica, owner, second);
    await deliverReport([point(receivedAt)], receivedAt);
    expect([await countStoredPoints(cid), await countStoredPoints(second)]).toEqual([1, 0]);
    const afterBinding = Date.now() + 1;
    await deliverReport([point(afterBinding)], afterBinding);
    expect([await countStoredPoints(cid), await countStoredPoints(second)]).toEqual([1, 1]);
  });

  test('rejects points that were measured before the watch was bound to a child of another family', async () => {
    const before = Date.now();
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    const buyer = await environment.createPerson(replica);
    const otherChild = await environment.createChild(replica, buyer);
    await watch.bindTo(replica, buyer, otherChild);
    const now = Date.now() + 1;
    const results = await locations.report(watch.principal, [point(before), point(now)]);
    expect(results.map(({ reason }) => reason)).toEqual(['NOT_BOUND_THEN', null]);
    expect([await countStoredPoints(cid), await countStoredPoints(otherChild)]).toEqual([0, 1]);
  });
});

describe("access to a child's location", () => {
  test('requires the permission LOCATION, and is rejected to strangers with the error for an unknown child', async () => {
    await deliverReport([point(Date.now())]);
    const range = { cid, from: 0, to: Date.now() + MINUTE_MS };
    const allowed = await environment.addMember(replica, familyId, { role: 3, permissions: ['LOCATION'] });
    expect(await locations.findLast(allowed, cid)).not.toBeNull();
    expect((await locations.findTrack(allowed, range)).items).toHaveLength(1);
    for (const role of [3, 4] as const) {
      const person = await environment.addMember(replica, familyId, { role, permissions: ['CHAT'] });
      await expect(locations.findLast(person, cid)).rejects.toEqual(errorWith('PERMISSION_MISSING'));
      await expect(locations.findTrack(person, range)).rejects.toEqual(errorWith('PERMISSION_MISSING'));
    }
    const stranger = await environment.createPerson(replica);
    const foreign = await locations.findLast(stranger, cid).catch((error: unknown) => error);
    const unknown = await locations.findLast(stranger, crypto.randomUUID()).catch((error: unknown) => error);
    expect(foreign).toEqual(unknown);
    expect(foreign).toEqual(errorWith('CHILD_NOT_FOUND'));
    await expect(locations.findTrack(stranger, range)).rejects.toEqual(errorWith('CHILD_NOT_FOUND'));
  });

  test('returns no location and an empty track for a child without points', async () => {
    expect(await locations.findLast(owner, cid)).toBeNull();
    expect(await locations.findTrack(owner, { cid, from: 0, to: Date.now() })).toEqual({ items: [], nextCursor: null });
  });
});

describe('erasing a child', () => {
  test('deletes its points, steps and bindings', async () => {
    const other = await TestWatch.createEnrolled(replica);
    const remaining = await environment.createChild(replica, owner);
    await other.bindTo(replica, owner, remaining);
    for (const { did } of [watch, other]) await deliverReport([point(Date.now() + 1)], Date.now() + 1, did);
    for (const child of [cid, remaining])
      await environment.query(`INSERT INTO userctx.step_day VALUES ($1, '2026-03-10', 7)`, [child]);
    for (const handler of ['userctx.locations.erase-child', 'userctx.watches.erase-child'])
      await environment.deliverErasure(replica, handler, { familyId, cid });
    const tables = ['location_point', 'child_location', 'step_day', 'watch_binding'];
    for (const child of [cid, remaining]) {
      const counts = tables.map((table) => environment.query(`SELECT 1 FROM userctx.${table} WHERE cid = $1`, [child]));
      const expected = child === remaining ? 1 : 0;
      expect((await Promise.all(counts)).map((rows) => rows.length)).toEqual(tables.map(() => expected));
    }
  });
});
