import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { LIVE_TRACKING_DEFAULT_TTL_SECONDS } from '@family-watch/domain/watches/contracts/device-settings';
import { ChildDeletionService } from '../../../src/families/children/child-deletion.service.js';
import { DeviceSettingsService } from '../../../src/watches/settings/device-settings.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let deviceSettings: DeviceSettingsService;
let family: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled, because the tests would also count the events that follow from the binding.
  replica = await environment.replica({}, { isRelayDisabled: true });
  deviceSettings = replica.get(DeviceSettingsService);
});
beforeEach(async () => {
  family = await createBoundFamily(environment, replica);
  ({ did } = family.watch);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => environment.close());

const readLocationMode = async () => {
  const { version, locationMode, locationModeUntil, locationModeAfter } = await deviceSettings.get(family.owner, did);
  return [version, locationMode, locationModeUntil, locationModeAfter];
};
const inTransaction = (work: (liveTracking: DeviceSettingsService) => Promise<void>) =>
  replica.get(UserctxUnitOfWork).run(() => work(replica.get(DeviceSettingsService)));
const startLiveTracking = (until: number) =>
  inTransaction((liveTracking) => liveTracking.startLiveTracking(family, until, `watch:${did}`));
const stopLiveTracking = () =>
  inTransaction((liveTracking) => liveTracking.stopLiveTracking(family, `user:${family.owner.id}`));

test('the location mode FOLLOW ends after the default TTL if it is set without an expiry', async () => {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now);
  await deviceSettings.setLocationMode(family.owner, { did, mode: 'FOLLOW' });
  expect(await readLocationMode()).toEqual([1, 'FOLLOW', now + LIVE_TRACKING_DEFAULT_TTL_SECONDS * 1_000, 'NORMAL']);
  jest.spyOn(Date, 'now').mockReturnValue(now + LIVE_TRACKING_DEFAULT_TTL_SECONDS * 1_000);
  expect(await readLocationMode()).toEqual([1, 'NORMAL', null, null]);
});

test("live tracking overrides the guardians' location mode until it is stopped or expires", async () => {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now);
  await deviceSettings.setLocationMode(family.owner, { did, mode: 'SAVE' });
  await startLiveTracking(now + 600_000);
  expect(await readLocationMode()).toEqual([2, 'FOLLOW', now + 600_000, 'SAVE']);
  await deviceSettings.setLocationMode(family.owner, { did, mode: 'NORMAL', expiresIn: 900 });
  expect(await readLocationMode()).toEqual([3, 'FOLLOW', now + 600_000, 'NORMAL']);
  await startLiveTracking(now + 300_000);
  expect(await readLocationMode()).toEqual([3, 'FOLLOW', now + 600_000, 'NORMAL']);
  await stopLiveTracking();
  expect(await readLocationMode()).toEqual([4, 'NORMAL', now + 900_000, 'SAVE']);
  await stopLiveTracking();
  expect(await readLocationMode()).toEqual([4, 'NORMAL', now + 900_000, 'SAVE']);
  await startLiveTracking(now + 600_000);
  jest.spyOn(Date, 'now').mockReturnValue(now + 600_000);
  expect(await readLocationMode()).toEqual([5, 'NORMAL', now + 900_000, 'SAVE']);
  jest.spyOn(Date, 'now').mockReturnValue(now + 900_000);
  expect(await readLocationMode()).toEqual([5, 'SAVE', null, null]);
});

test('starting and stopping live tracking publishes version and principal, but nothing for a deleted child', async () => {
  await startLiveTracking(Date.now() + 60_000);
  await stopLiveTracking();
  const publishedEvents = await environment.events('userctx.watch-settings.changed', family.familyId);
  expect(publishedEvents.map(({ resource, version, by }) => [resource, version, by])).toEqual([
    ['DEVICE', 1, `watch:${did}`],
    ['DEVICE', 2, `user:${family.owner.id}`],
  ]);
  await replica.get(ChildDeletionService).delete(family.owner, family.cid);
  await startLiveTracking(Date.now() + 60_000);
  expect(await environment.events('userctx.watch-settings.changed', family.familyId)).toHaveLength(2);
});

test('live tracking does not start when the transaction is rolled back', async () => {
  const failing = inTransaction(async (liveTracking) => {
    await liveTracking.startLiveTracking(family, Date.now() + 60_000, `watch:${did}`);
    throw new Error('A later statement failed');
  });
  await expect(failing).rejects.toThrow('A later statement failed');
  expect(await readLocationMode()).toEqual([0, 'NORMAL', null, null]);
});
