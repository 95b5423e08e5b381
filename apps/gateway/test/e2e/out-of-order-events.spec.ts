import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyProjectionRepository } from '../../src/projections/family-projection.repository.js';
import { LatestLocationRepository } from '../../src/mailbox/latest-locations/latest-location.repository.js';
import { nextVersion } from '../support/gateway-test-environment.js';
import { createLocation, waitForKind, type FamilyFixture } from '../support/family-fixture.js';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { connect, createFamily } from '../support/clients.js';
import { environment, node, otherNode, query, serviceOf, startGateway } from '../support/suite-gateway.js';

startGateway();

const storedLocations = ({ cid }: FamilyFixture) => query('SELECT FROM gateway.child_position WHERE cid = $1', [cid]);

const latitudesOf = (client: TestClient) =>
  client
    .messagesOfKind('LocationPointChangeMessage')
    .map(({ payload }) => (payload as { location: { latitude: string } }).location.latitude);

test('the gateway does not deliver a command whose event arrives after the expiry of the command', async () => {
  const fixture = await createFamily();
  const watchClients = await Promise.all([node, otherNode].map((each) => connect(fixture.watchPrincipal, each)));
  const command = { commandId: randomUUID(), command: 'SHUTDOWN', by: `user:${fixture.owner.id}` } as const;
  const time = environment.clock.now() - 11 * 60_000;
  await fixture.publish('userctx.remote-command.queued', { ...command, time });
  await fixture.publishContactChange(1);
  for (const watchClient of watchClients) {
    await waitForKind(watchClient, 'ContactsChangeNoticeMessage');
    expect(watchClient.messagesOfKind('RemoteControlShutdownNoticeMessage')).toEqual([]);
    expect(watchClient.problems).toEqual([]);
  }
});

test('the gateway neither publishes nor stores a location that arrives after the child has left the family', async () => {
  const fixture = await createFamily();
  await fixture.change({ children: [] });
  const connected = await connect(fixture.owner);
  await fixture.publishLocationChange(createLocation('31.5'));
  await sleep(200);
  const reconnected = await connect(fixture.owner, otherNode);
  await sleep(200);
  expect([latitudesOf(connected), latitudesOf(reconnected)]).toEqual([[], []]);
  expect(await storedLocations(fixture)).toEqual([]);
});

test('the first location of a child reaches a connected parent, also beside the event that adds the child', async () => {
  const fixture = await createFamily();
  const { familyId, children } = fixture.family;
  const owner = await connect(fixture.owner);
  const added = { ...children[0]!, cid: randomUUID(), did: fixture.did + 1 };
  const location = { familyId, cid: added.cid, did: added.did, location: createLocation('31.5') };
  const stores = [node, otherNode].map((each) => {
    const families = serviceOf(FamilyProjectionRepository, each);
    const store = families.store.bind(families);
    return jest.spyOn(families, 'store').mockImplementation(async (snapshot) => {
      await sleep(200);
      return store(snapshot);
    });
  });
  const family = nextVersion(fixture.family, { children: [...children, added] });
  await environment.publishAll(familyId, [
    { name: 'userctx.family.changed', key: familyId, payload: family },
    { name: 'userctx.location.changed', key: familyId, payload: location },
  ]);
  await waitForKind(owner, 'LocationPointChangeMessage');
  for (const store of stores) store.mockRestore();
});

test('the gateway stores no location of a child who is removed while the location is being stored', async () => {
  const fixture = await createFamily();
  const { familyId } = fixture.family;
  const stores = [node, otherNode].map((each) => {
    const locations = serviceOf(LatestLocationRepository, each);
    const store = locations.store.bind(locations);
    return jest.spyOn(locations, 'store').mockImplementation(async (stored) => {
      const result = await store(stored);
      await sleep(500);
      return result;
    });
  });
  const location = { familyId, cid: fixture.cid, did: fixture.did, location: createLocation('31.5') };
  await environment.publishAll(familyId, [
    { name: 'userctx.location.changed', key: familyId, payload: location },
    { name: 'userctx.family.changed', key: familyId, payload: nextVersion(fixture.family, { children: [] }) },
  ]);
  for (const store of stores) store.mockRestore();
  expect(await storedLocations(fixture)).toEqual([]);
});

test('the gateway publishes newer locations, but no older one, after its clock was set back', async () => {
  const fixture = await createFamily();
  const owner = await connect(fixture.owner);
  const waitForLatitudes = (count: number) => waitForKind(owner, 'LocationPointChangeMessage', count);
  const now = environment.clock.now();
  // Five minutes are less than the validity of a token; after that the gateway would close the connection.
  environment.clock.forward(300_000);
  await fixture.publishLocationChange(createLocation('31.1', now));
  await waitForLatitudes(1);
  environment.clock.forward(-300_000);
  await fixture.publishLocationChange(createLocation('31.2', now + 10_000));
  await waitForLatitudes(2);
  await fixture.publishLocationChange(createLocation('31.0', now - 10_000));
  await fixture.publishLocationChange(createLocation('31.3', now + 20_000));
  await waitForLatitudes(3);
  expect(latitudesOf(owner)).toEqual(['31.1', '31.2', '31.3']);
});

test('the gateway publishes a correction with an older time, unless a newer location has arrived', async () => {
  const fixture = await createFamily();
  const owner = await connect(fixture.owner);
  const now = environment.clock.now();
  await fixture.publishLocationChange(createLocation('31.9', now));
  await fixture.publishLocationChange(createLocation('31.1', now - 600_000), { corrects: now });
  await waitForKind(owner, 'LocationPointChangeMessage', 2);
  await fixture.publishLocationChange(createLocation('31.2', now + 1_000));
  await waitForKind(owner, 'LocationPointChangeMessage', 3);
  await fixture.publishLocationChange(createLocation('31.0', now - 700_000), { corrects: now });
  await fixture.publishLocationChange(createLocation('31.3', now + 2_000));
  await waitForKind(owner, 'LocationPointChangeMessage', 4);
  expect(latitudesOf(owner)).toEqual(['31.9', '31.1', '31.2', '31.3']);
  const reconnected = await connect(fixture.owner, otherNode);
  await waitForKind(reconnected, 'LocationPointChangeMessage');
  expect(latitudesOf(reconnected)).toEqual(['31.3']);
});

test('a withdrawal deletes the stored location only if both have the same time', async () => {
  const fixture = await createFamily();
  const now = environment.clock.now();
  await fixture.publishLocationChange(createLocation('31.9', now));
  await fixture.publish('userctx.location.withdrawn', { positionTime: now - 1 });
  await sleep(200);
  expect(await storedLocations(fixture)).toHaveLength(1);
  await fixture.publish('userctx.location.withdrawn', { positionTime: now });
  await waitUntil('the deletion', async () => (await storedLocations(fixture)).length === 0);
});
