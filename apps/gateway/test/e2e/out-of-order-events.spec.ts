import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyProjectionRepository } from '../../src/contexts/projections/family-projection.repository.js';
import { LatestLocationRepository } from '../../src/contexts/projections/latest-location.repository.js';
import { nextVersion } from '../support/gateway-test-environment.js';
import { createLocation } from '../support/family-fixture.js';
import { connect, createFamily, environment, node, otherNode, startGateway } from '../support/suite-gateway.js';

startGateway();

test('the gateway does not deliver a command whose event arrives after the expiry of the command', async () => {
  const fixture = await createFamily();
  const watchClients = await Promise.all([node, otherNode].map((each) => connect(fixture.watchPrincipal, each)));
  const { familyId } = fixture.family;
  const command = {
    familyId,
    cid: fixture.cid,
    did: fixture.did,
    commandId: randomUUID(),
    command: 'SHUTDOWN',
  } as const;
  const time = environment.clock.now() - 11 * 60_000;
  const payload = { ...command, by: `user:${fixture.owner.id}`, time } as const;
  await environment.publish({ name: 'userctx.remote-command.queued', key: familyId, payload });
  await fixture.publishContactChange(1);
  for (const watchClient of watchClients) {
    await watchClient.waitFor(
      () => watchClient.messagesOfKind('ContactsChangeNoticeMessage').length > 0,
      'the notice after the command',
    );
    expect(watchClient.messagesOfKind('RemoteControlShutdownNoticeMessage')).toEqual([]);
    expect(watchClient.problems).toEqual([]);
  }
});

test('the gateway neither publishes nor stores a location that arrives after the child has left the family', async () => {
  const fixture = await createFamily();
  await environment.publishFamily(nextVersion(fixture.family, { children: [] }));
  const connected = await connect(fixture.owner);
  await fixture.publishLocationChange(createLocation('31.5'));
  await sleep(200);
  const reconnected = await connect(fixture.owner, otherNode);
  await sleep(200);
  const published = [connected, reconnected].flatMap((client) => client.messagesOfKind('LocationPointChangeMessage'));
  expect(published).toEqual([]);
  const stored = await node.unitOfWork.executor.query('SELECT FROM gateway.child_position WHERE cid = $1', [
    fixture.cid,
  ]);
  expect(stored).toEqual([]);
});

test('the first location of a child reaches a connected parent, also beside the event that adds the child', async () => {
  const fixture = await createFamily();
  const { familyId, children } = fixture.family;
  const owner = await connect(fixture.owner);
  const added = { ...children[0]!, cid: randomUUID(), did: fixture.did + 1 };
  const location = { familyId, cid: added.cid, did: added.did, location: createLocation('31.5') };
  const stores = [node, otherNode].map(({ app }) => {
    const families = app.get(FamilyProjectionRepository, { strict: false });
    const store = families.store.bind(families);
    return jest.spyOn(families, 'store').mockImplementation(async (snapshot) => {
      await sleep(200);
      return store(snapshot);
    });
  });
  await environment.publishAll(familyId, [
    {
      name: 'userctx.family.changed',
      key: familyId,
      payload: nextVersion(fixture.family, { children: [...children, added] }),
    },
    { name: 'userctx.location.changed', key: familyId, payload: location },
  ]);
  await owner.waitFor(
    () => owner.messagesOfKind('LocationPointChangeMessage').length > 0,
    'the location of the added child',
  );
  for (const store of stores) store.mockRestore();
});

test('the gateway stores no location of a child who is removed while the location is being stored', async () => {
  const fixture = await createFamily();
  const { familyId } = fixture.family;
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
  const location = { familyId, cid: fixture.cid, did: fixture.did, location: createLocation('31.5') };
  await environment.publishAll(familyId, [
    { name: 'userctx.location.changed', key: familyId, payload: location },
    { name: 'userctx.family.changed', key: familyId, payload: nextVersion(fixture.family, { children: [] }) },
  ]);
  for (const store of stores) store.mockRestore();
  const stored = await node.unitOfWork.executor.query('SELECT FROM gateway.child_position WHERE cid = $1', [
    fixture.cid,
  ]);
  expect(stored).toEqual([]);
});

test('the gateway publishes newer locations, but no older one, after its clock was set back', async () => {
  const fixture = await createFamily();
  const owner = await connect(fixture.owner);
  const latitudes = () =>
    owner
      .messagesOfKind('LocationPointChangeMessage')
      .map(({ payload }) => (payload as { location: { latitude: string } }).location.latitude);
  const waitForLatitudes = (count: number) => owner.waitFor(() => latitudes().length >= count, `${count} locations`);
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
  expect(latitudes()).toEqual(['31.1', '31.2', '31.3']);
});

test('the gateway publishes a correction with an older time, unless a newer location has arrived', async () => {
  const fixture = await createFamily();
  const { familyId } = fixture.family;
  const owner = await connect(fixture.owner);
  const publishedCount = () => owner.messagesOfKind('LocationPointChangeMessage').length;
  const correct = (latitude: string, positionTime: number, corrects: number) =>
    environment.publish({
      name: 'userctx.location.changed',
      key: familyId,
      payload: {
        familyId,
        cid: fixture.cid,
        did: fixture.did,
        location: createLocation(latitude, positionTime),
        corrects,
      },
    });
  const now = environment.clock.now();
  await fixture.publishLocationChange(createLocation('31.9', now));
  await correct('31.1', now - 600_000, now);
  await owner.waitFor(() => publishedCount() === 2, 'the correction');
  await fixture.publishLocationChange(createLocation('31.2', now + 1_000));
  await correct('31.0', now - 700_000, now);
  await owner.waitFor(() => publishedCount() === 3, 'the location after the correction');
  await sleep(100);
  const reconnected = await connect(fixture.owner, otherNode);
  await reconnected.waitFor(
    () => reconnected.messagesOfKind('LocationPointChangeMessage').length > 0,
    'the latest location',
  );
  expect(reconnected.messagesOfKind('LocationPointChangeMessage')).toMatchObject([
    { payload: { location: { latitude: '31.2' } } },
  ]);
  expect(publishedCount()).toBe(3);
});

test('a withdrawal deletes the stored location only if both have the same time', async () => {
  const fixture = await createFamily();
  const { familyId } = fixture.family;
  const storedCount = async () => {
    const query = 'SELECT FROM gateway.child_position WHERE cid = $1';
    return (await node.unitOfWork.executor.query(query, [fixture.cid])).length;
  };
  const withdraw = (positionTime: number) =>
    environment.publish({
      name: 'userctx.location.withdrawn',
      key: familyId,
      payload: { familyId, cid: fixture.cid, positionTime },
    });
  const now = environment.clock.now();
  await fixture.publishLocationChange(createLocation('31.9', now));
  await withdraw(now - 1);
  await sleep(200);
  expect(await storedCount()).toBe(1);
  await withdraw(now);
  await waitUntil('the deletion', async () => (await storedCount()) === 0);
});
