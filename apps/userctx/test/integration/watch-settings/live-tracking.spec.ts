import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { LIVE_TRACKING_DEFAULT_TTL_SECONDS } from '@family-watch/domain/watch-settings/contracts/device-settings';
import { ChildDeletionService } from '../../../src/contexts/children/child-deletion.service.js';
import { DeviceSettingsService } from '../../../src/contexts/watch-settings/device-settings/device-settings.service.js';
import { LiveTrackingService } from '../../../src/contexts/watch-settings/device-settings/live-tracking.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let device: DeviceSettingsService;
let home: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The events of the binding would add to what is counted here.
  replica = await world.replica({}, { relay: true });
  device = replica.get(DeviceSettingsService);
});
beforeEach(async () => {
  home = await createBoundFamily(world, replica);
  ({ did } = home.watch);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => world.close());

const seen = async () => {
  const { version, locationMode, locationModeUntil, locationModeAfter } = await device.get(home.owner, did);
  return [version, locationMode, locationModeUntil, locationModeAfter];
};
const inUnit = (work: (modes: LiveTrackingService) => Promise<void>) =>
  replica.get(UserctxUnitOfWork).run(() => work(replica.get(LiveTrackingService)));
const follow = (until: number) => inUnit((modes) => modes.start(home, until, `watch:${did}`));
const endFollow = () => inUnit((modes) => modes.stop(home, `user:${home.owner.id}`));

it('a parent who sets FOLLOW without an end gets one', async () => {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now);
  await device.setLocationMode(home.owner, { did, mode: 'FOLLOW' });
  expect(await seen()).toEqual([1, 'FOLLOW', now + LIVE_TRACKING_DEFAULT_TTL_SECONDS * 1_000, 'NORMAL']);
  jest.spyOn(Date, 'now').mockReturnValue(now + LIVE_TRACKING_DEFAULT_TTL_SECONDS * 1_000);
  expect(await seen()).toEqual([1, 'NORMAL', null, null]);
});

it('following outranks what parents set, hides nothing of it, and is over when it is ended or its time comes', async () => {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now);
  await device.setLocationMode(home.owner, { did, mode: 'SAVE' });
  await follow(now + 600_000);
  expect(await seen()).toEqual([2, 'FOLLOW', now + 600_000, 'SAVE']);
  await device.setLocationMode(home.owner, { did, mode: 'NORMAL', expiresIn: 900 });
  expect(await seen()).toEqual([3, 'FOLLOW', now + 600_000, 'NORMAL']);
  await follow(now + 300_000);
  expect(await seen()).toEqual([3, 'FOLLOW', now + 600_000, 'NORMAL']);
  await endFollow();
  expect(await seen()).toEqual([4, 'NORMAL', now + 900_000, 'SAVE']);
  await endFollow();
  expect(await seen()).toEqual([4, 'NORMAL', now + 900_000, 'SAVE']);
  await follow(now + 600_000);
  jest.spyOn(Date, 'now').mockReturnValue(now + 600_000);
  expect(await seen()).toEqual([5, 'NORMAL', now + 900_000, 'SAVE']);
  jest.spyOn(Date, 'now').mockReturnValue(now + 900_000);
  expect(await seen()).toEqual([5, 'SAVE', null, null]);
});

it('each change is told with its version and who is behind it; of a child that is gone nothing is', async () => {
  await follow(Date.now() + 60_000);
  await endFollow();
  const told = await world.events('userctx.watch-settings.changed', home.familyId);
  expect(told.map(({ resource, version, by }) => [resource, version, by])).toEqual([
    ['DEVICE', 1, `watch:${did}`],
    ['DEVICE', 2, `user:${home.owner.id}`],
  ]);
  await replica.get(ChildDeletionService).delete(home.owner, home.cid);
  await follow(Date.now() + 60_000);
  expect(await world.events('userctx.watch-settings.changed', home.familyId)).toHaveLength(2);
});

it('what is rolled back was never followed', async () => {
  const failing = inUnit(async (modes) => {
    await modes.start(home, Date.now() + 60_000, `watch:${did}`);
    throw new Error('and then something else failed');
  });
  await expect(failing).rejects.toThrow('something else');
  expect(await seen()).toEqual([0, 'NORMAL', null, null]);
});
