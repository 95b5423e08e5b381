import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LatestLocationRepository } from '../../src/contexts/latest-locations/latest-location.repository.js';
import type { GatewayNode } from '../support/gateway-node.js';
import { GatewayTestEnvironment, nextVersion } from '../support/gateway-test-environment.js';
import { FamilyFixture, place } from '../support/family-fixture.js';

let world: GatewayTestEnvironment;
let node: GatewayNode;
let otherNode: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start();
  node = await world.addNode();
  otherNode = await world.addNode();
});

afterAll(() => world.stop());

test('does not deliver a command to a connected watch when its event arrives after the command expired', async () => {
  const home = await FamilyFixture.in(world);
  const wearers = await Promise.all([node, otherNode].map((each) => world.connect(each, home.wearer)));
  const { familyId } = home.family;
  const command = { familyId, cid: home.cid, did: home.did, commandId: randomUUID(), command: 'SHUTDOWN' } as const;
  const time = world.clock.now() - 11 * 60_000;
  const payload = { ...command, by: `user:${home.owner.id}`, time } as const;
  await world.publish({ name: 'userctx.remote-command.queued', key: familyId, payload });
  await home.contactChanged(1);
  for (const wearer of wearers) {
    await wearer.waitFor(() => wearer.ofKind('ContactsChangeNoticeMessage').length > 0, 'the notice after it');
    expect(wearer.ofKind('RemoteControlShutdownNoticeMessage')).toEqual([]);
    expect(wearer.problems).toEqual([]);
  }
});

test('neither publishes nor stores a location that arrives after its child left the family', async () => {
  const home = await FamilyFixture.in(world);
  await world.familyChanged(nextVersion(home.family, { children: [] }));
  const connected = await world.connect(node, home.owner);
  await home.locationChanged(place('31.5'));
  await sleep(200);
  const reconnected = await world.connect(otherNode, home.owner);
  await sleep(200);
  const published = [connected, reconnected].flatMap((client) => client.ofKind('LocationPointChangeMessage'));
  expect(published).toEqual([]);
  const stored = await node.unitOfWork.executor.query('SELECT FROM gateway.child_position WHERE cid = $1', [home.cid]);
  expect(stored).toEqual([]);
});

test('does not store a location of a child removed in the same envelope, although its transaction commits later', async () => {
  const home = await FamilyFixture.in(world);
  const { familyId } = home.family;
  const locations = node.app.get(LatestLocationRepository, { strict: false });
  const otherLocations = otherNode.app.get(LatestLocationRepository, { strict: false });
  const stores = [locations, otherLocations].map((each) => {
    const store = each.store.bind(each);
    return jest.spyOn(each, 'store').mockImplementation(async (locations) => {
      const stored = await store(locations);
      await sleep(500);
      return stored;
    });
  });
  const location = { familyId, cid: home.cid, did: home.did, location: place('31.5') };
  await world.publishAll(familyId, [
    { name: 'userctx.location.changed', key: familyId, payload: location },
    { name: 'userctx.family.changed', key: familyId, payload: nextVersion(home.family, { children: [] }) },
  ]);
  for (const store of stores) store.mockRestore();
  const stored = await node.unitOfWork.executor.query('SELECT FROM gateway.child_position WHERE cid = $1', [home.cid]);
  expect(stored).toEqual([]);
});

test('publishes newer locations after a fast clock is corrected, and no older one', async () => {
  const home = await FamilyFixture.in(world);
  const owner = await world.connect(node, home.owner);
  const latitudes = () =>
    owner
      .ofKind('LocationPointChangeMessage')
      .map(({ payload }) => (payload as { location: { latitude: string } }).location.latitude);
  const seen = (count: number) => owner.waitFor(() => latitudes().length >= count, `${count} positions`);
  const now = world.clock.now();
  // Less than the validity of a token, or the gateway would close the connection.
  world.clock.forward(300_000);
  await home.locationChanged(place('31.1', now));
  await seen(1);
  world.clock.forward(-300_000);
  await home.locationChanged(place('31.2', now + 10_000));
  await seen(2);
  await home.locationChanged(place('31.0', now - 10_000));
  await home.locationChanged(place('31.3', now + 20_000));
  await seen(3);
  expect(latitudes()).toEqual(['31.1', '31.2', '31.3']);
});

test('publishes a correction although it is older, unless a newer location has arrived', async () => {
  const home = await FamilyFixture.in(world);
  const { familyId } = home.family;
  const owner = await world.connect(node, home.owner);
  const publishedCount = () => owner.ofKind('LocationPointChangeMessage').length;
  const correct = (latitude: string, positionTime: number, corrects: number) =>
    world.publish({
      name: 'userctx.location.changed',
      key: familyId,
      payload: { familyId, cid: home.cid, did: home.did, location: place(latitude, positionTime), corrects },
    });
  const now = world.clock.now();
  await home.locationChanged(place('31.9', now));
  await correct('31.1', now - 600_000, now);
  await owner.waitFor(() => publishedCount() === 2, 'the correction');
  await home.locationChanged(place('31.2', now + 1_000));
  await correct('31.0', now - 700_000, now);
  await owner.waitFor(() => publishedCount() === 3, 'the position after it');
  await sleep(100);
  const reconnected = await world.connect(otherNode, home.owner);
  await reconnected.waitFor(() => reconnected.ofKind('LocationPointChangeMessage').length > 0, 'the latest position');
  expect(reconnected.ofKind('LocationPointChangeMessage')).toMatchObject([
    { payload: { location: { latitude: '31.2' } } },
  ]);
  expect(publishedCount()).toBe(3);
});

test('does not return a withdrawn location to clients that connect afterwards', async () => {
  const home = await FamilyFixture.in(world);
  const { familyId } = home.family;
  const storedCount = async () => {
    const query = 'SELECT FROM gateway.child_position WHERE cid = $1';
    return (await node.unitOfWork.executor.query(query, [home.cid])).length;
  };
  const withdraw = (positionTime: number) =>
    world.publish({
      name: 'userctx.location.withdrawn',
      key: familyId,
      payload: { familyId, cid: home.cid, positionTime },
    });
  const now = world.clock.now();
  await home.locationChanged(place('31.9', now));
  await withdraw(now - 1);
  await sleep(200);
  expect(await storedCount()).toBe(1);
  await withdraw(now);
  await sleep(200);
  expect(await storedCount()).toBe(0);
});
