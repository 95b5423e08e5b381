import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { LocationIntakeService } from '../../../src/locations/location-intake.service.js';
import { LOCATION_REQUEST_TTL_MS, LocationRequestService } from '../../../src/locations/location-request.service.js';
import { WatchBindingService } from '../../../src/watches/binding/watch-binding.service.js';
import { createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let requests: LocationRequestService;
let family: BoundFamilyFixture;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a test delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  requests = replica.get(LocationRequestService);
});
beforeEach(async () => {
  family = await createBoundFamily(environment, replica);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => environment.close());

const errorWith = (reason: string) => expect.objectContaining({ reason });
const createRequest = () => requests.create(family.owner, family.watch.did);
const stateOf = async (askId: string) => (await requests.find(family.owner, askId)).state;
const point = (positionTime: number, latitude = '31.2304') => ({
  latitude,
  longitude: '121.4737',
  radius: 12,
  pointType: 1,
  positionTime,
});
const reportPoints = (points: object[], receivedAt = Date.now()) =>
  replica.get(LocationIntakeService).process({ did: family.watch.did, points, receivedAt });

describe('a location request', () => {
  test('is published, and answered by the first credible point measured after the request', async () => {
    const { askId, deadline } = await createRequest();
    const [event] = await environment.events('userctx.location.asked', family.familyId);
    const { time = 0 } = event ?? {};
    expect(event).toMatchObject({ askId, did: family.watch.did, by: `user:${family.owner.id}`, deadline });
    expect(deadline - time).toBe(120_000);
    expect(await requests.find(family.owner, askId)).toEqual({ askId, deadline, state: 'ASKED', location: null });
    expect(await environment.kindsSeenBy(family.owner, family.cid, replica)).toEqual([]);
    const answer = point(time + 10, '31.2305');
    await reportPoints([point(time - 10), answer, point(time + 900, '31.2306')], time + 1_000);
    expect(await requests.find(family.owner, askId)).toEqual({ askId, deadline, state: 'ANSWERED', location: answer });
    await reportPoints([point(time + 2_000, '31.2307')], time + 2_000);
    expect(await requests.find(family.owner, askId)).toMatchObject({ location: answer });
    expect(await environment.kindsSeenBy(family.owner, family.cid, replica)).toEqual(['LOCATION']);
  });

  test.each([
    ['with a point from before the request', (askedAt: number) => [point(askedAt - 1)], 1_000],
    ['with an invalid point', () => [{ latitude: 'north' }], 1_000],
    ['with a point in the future', (askedAt: number) => [point(askedAt + 86_400_000)], 1_000],
    ['after the deadline', (askedAt: number) => [point(askedAt + 1)], LOCATION_REQUEST_TTL_MS + 1],
  ])('is not answered by a report %s', async (_, points, delay) => {
    const { askId, deadline } = await createRequest();
    const askedAt = deadline - LOCATION_REQUEST_TTL_MS;
    await reportPoints(points(askedAt), askedAt + delay);
    expect(await stateOf(askId)).toBe('ASKED');
  });

  test('is not answered by a repeated point, but by the first of several new points within its last millisecond', async () => {
    const { deadline: firstDeadline } = await createRequest();
    const known = point(firstDeadline + 1_000);
    await reportPoints([known], firstDeadline + 1);
    jest.spyOn(Date, 'now').mockReturnValue(firstDeadline + 1);
    const { askId, deadline } = await createRequest();
    await reportPoints([known], firstDeadline + 2_000);
    expect(await stateOf(askId)).toBe('ASKED');
    const [first, second] = [point(deadline - 2, '31.2305'), point(deadline - 1, '31.2306')];
    await reportPoints([second, first], deadline);
    expect(await requests.find(family.owner, askId)).toMatchObject({ state: 'ANSWERED', location: first });
  });

  test('counts as expired before the expiry job runs, so that a new request can be created', async () => {
    const { askId, deadline } = await createRequest();
    jest.spyOn(Date, 'now').mockReturnValue(deadline + 1);
    expect(await stateOf(askId)).toBe('EXPIRED');
    const second = await createRequest();
    expect(second.askId).not.toBe(askId);
    const statesAt = async (now: number) => {
      await replica.get(LocationRequestService).expireDue(now);
      return environment.query('SELECT state FROM userctx.location_ask WHERE cid = $1 ORDER BY deadline', [family.cid]);
    };
    // A report that was received before the deadline may be processed until a minute after it.
    expect(await statesAt(second.deadline + 59_999)).toEqual([{ state: 'EXPIRED' }, { state: 'ASKED' }]);
    expect(await statesAt(second.deadline + 60_001)).toEqual([{ state: 'EXPIRED' }, { state: 'EXPIRED' }]);
  });

  test('is returned to concurrent calls while it is pending', async () => {
    const returned = await Promise.all([createRequest(), createRequest(), createRequest()]);
    expect(new Set(returned.map(({ askId }) => askId)).size).toBe(1);
    expect(await environment.events('userctx.location.asked', family.familyId)).toHaveLength(1);
  });

  test('expires when a new request is created after the replacement of the watch', async () => {
    const { askId } = await createRequest();
    await replica.get(WatchBindingService).unbind(family.owner, family.watch.did);
    const newWatch = await TestWatch.createEnrolled(replica);
    await newWatch.bindTo(replica, family.owner, family.cid);
    expect((await requests.create(family.owner, newWatch.did)).askId).not.toBe(askId);
    expect(await stateOf(askId)).toBe('EXPIRED');
  });
});

test('rejects a location request by a person outside the family or by the watch itself', async () => {
  const { askId } = await createRequest();
  const stranger = await environment.createPerson(replica);
  for (const id of [askId, '00000000-0000-4000-8000-000000000000', 'nonsense']) {
    await expect(requests.find(stranger, id)).rejects.toEqual(errorWith('ASK_NOT_FOUND'));
  }
  await expect(requests.create(stranger, family.watch.did)).rejects.toEqual(errorWith('WATCH_NOT_FOUND'));
  await expect(requests.create(family.watch.principal, family.watch.did)).rejects.toEqual(
    errorWith('PERMISSION_MISSING'),
  );
});

test('deletes a location request when its child is erased, and after thirty days', async () => {
  const { askId, deadline } = await createRequest();
  await replica.get(LocationRequestService).expireDue(deadline + 29 * 86_400_000);
  expect(await stateOf(askId)).toBe('EXPIRED');
  await environment.deliverErasure(replica, 'userctx.locations.erase-child', family);
  await expect(requests.find(family.owner, askId)).rejects.toEqual(errorWith('ASK_NOT_FOUND'));
  const { askId: secondAskId } = await createRequest();
  await replica.get(LocationRequestService).expireDue(Date.now() + 31 * 86_400_000);
  await expect(requests.find(family.owner, secondAskId)).rejects.toEqual(errorWith('ASK_NOT_FOUND'));
});
