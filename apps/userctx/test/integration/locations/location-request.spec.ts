import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import {
  LOCATION_REQUEST_TTL_MS,
  LocationRequestService,
} from '../../../src/contexts/locations/requests/location-request.service.js';
import { LocationRequestExpiryJob } from '../../../src/contexts/locations/requests/location-request-expiry.job.js';
import { LocationIntakeService } from '../../../src/contexts/locations/intake/location-intake.service.js';
import { EraseChildLocationsHandler } from '../../../src/contexts/locations/erase-child-locations.handler.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let asks: LocationRequestService;
let home: BoundFamilyFixture;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The tests say when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  asks = replica.get(LocationRequestService);
});
beforeEach(async () => {
  home = await createBoundFamily(world, replica);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => world.close());

const refused = (reason: string) => expect.objectContaining({ reason });
const ask = () => asks.create(home.owner, home.watch.did);
const stateOf = async (askId: string) => (await asks.find(home.owner, askId)).state;
const point = (positionTime: number, latitude = '31.2304') => ({
  latitude,
  longitude: '121.4737',
  radius: 12,
  pointType: 1,
  positionTime,
});
const report = (points: object[], receivedAt = Date.now()) =>
  replica.get(LocationIntakeService).process({ did: home.watch.did, points, receivedAt });

describe('a question', () => {
  it('is told to the gateway and answered by the first good position of after it', async () => {
    const { askId, deadline } = await ask();
    const [fact] = await world.events('userctx.location.asked', home.familyId);
    const { time = 0 } = fact ?? {};
    expect(fact).toMatchObject({ askId, did: home.watch.did, by: `user:${home.owner.id}`, deadline });
    expect(deadline - time).toBe(120_000);
    expect(await asks.find(home.owner, askId)).toEqual({ askId, deadline, state: 'ASKED', location: null });
    const answer = point(time + 10, '31.2305');
    await report([point(time - 10), answer, point(time + 900, '31.2306')], time + 1_000);
    expect(await asks.find(home.owner, askId)).toEqual({ askId, deadline, state: 'ANSWERED', location: answer });
    await report([point(time + 2_000, '31.2307')], time + 2_000);
    expect(await asks.find(home.owner, askId)).toMatchObject({ location: answer });
  });

  it.each([
    ['from before it', (asked: number) => [point(asked - 1)], 1_000],
    ['that is no position', () => [{ latitude: 'north' }], 1_000],
    ['of the future (A19)', (asked: number) => [point(asked + 86_400_000)], 1_000],
    ['after the deadline', (asked: number) => [point(asked + 1)], LOCATION_REQUEST_TTL_MS + 1],
  ])('is not answered by a report %s', async (_, points, delay) => {
    const { askId, deadline } = await ask();
    const asked = deadline - LOCATION_REQUEST_TTL_MS;
    await report(points(asked), asked + delay);
    expect(await stateOf(askId)).toBe('ASKED');
  });

  it('expires, also before the sweep has come by, and can be asked again', async () => {
    const { askId, deadline } = await ask();
    jest.spyOn(Date, 'now').mockReturnValue(deadline + 1);
    expect(await stateOf(askId)).toBe('EXPIRED');
    const again = await ask();
    expect(again.askId).not.toBe(askId);
    await replica.get(LocationRequestExpiryJob).run(again.deadline + 60_001);
    const rows = await world.query('select state from userctx.location_ask where cid = $1', [home.cid]);
    expect(rows).toEqual([{ state: 'EXPIRED' }, { state: 'EXPIRED' }]);
  });

  it('is joined by whoever asks while it is pending, also at once', async () => {
    const asked = await Promise.all([ask(), ask(), ask()]);
    expect(new Set(asked.map(({ askId }) => askId)).size).toBe(1);
    expect(await world.events('userctx.location.asked', home.familyId)).toHaveLength(1);
  });

  it('to a watch that was replaced is asked of the new one', async () => {
    const { askId } = await ask();
    await replica.get(WatchBindingService).unbind(home.owner, home.watch.did);
    const next = await TestWatch.enrolled(replica);
    await next.bindTo(replica, home.owner, home.cid);
    expect((await asks.create(home.owner, next.did)).askId).not.toBe(askId);
    expect(await stateOf(askId)).toBe('EXPIRED');
  });
});

it('is nobody else’s: a stranger and a watch find nothing', async () => {
  const { askId } = await ask();
  const stranger = await world.person(replica);
  for (const id of [askId, '00000000-0000-4000-8000-000000000000', 'nonsense']) {
    await expect(asks.find(stranger, id)).rejects.toEqual(refused('ASK_NOT_FOUND'));
  }
  await expect(asks.create(stranger, home.watch.did)).rejects.toEqual(refused('WATCH_NOT_FOUND'));
  await expect(asks.create(home.watch.principal, home.watch.did)).rejects.toEqual(refused('PERMISSION_MISSING'));
});

it('nothing of it is kept of an erased child, and none for more than thirty days', async () => {
  const { askId, deadline } = await ask();
  await replica.get(LocationRequestExpiryJob).run(deadline + 29 * 86_400_000);
  expect(await stateOf(askId)).toBe('EXPIRED');
  const payload = { familyId: home.familyId, cid: home.cid };
  await world.deliver(replica, replica.get(EraseChildLocationsHandler), { name: 'userctx.child.erased', payload });
  await expect(asks.find(home.owner, askId)).rejects.toEqual(refused('ASK_NOT_FOUND'));
  const { askId: old } = await ask();
  await replica.get(LocationRequestExpiryJob).run(Date.now() + 31 * 86_400_000);
  await expect(asks.find(home.owner, old)).rejects.toEqual(refused('ASK_NOT_FOUND'));
});
