import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Snapshot, SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { withClient } from '@family-watch/testing/database/test-server';
import { waitFor, waitUntil } from '@family-watch/testing/waiting/wait-for';
import { MessageCenterService } from '../../src/notifications/message-center/message-center.service.js';
import { PresenceService } from '../../src/connections/presence/presence.service.js';
import { createLocation, type FamilyFixture, waitForKind } from '../support/family-fixture.js';
import { connect, createFamily } from '../support/clients.js';
import { environment, node, otherNode, serviceOf, startGateway } from '../support/suite-gateway.js';

/** Replaces userctx as the source of family snapshots; the test can make this source unavailable. */
class FamilySnapshotSource implements SnapshotSource {
  fixture: FamilyFixture | undefined;
  isAvailable = true;

  async listVersions(): Promise<[]> {
    return [];
  }

  async find(_event: string, ids: readonly string[]): Promise<Snapshot[]> {
    if (!this.isAvailable) throw new Error('userctx is unavailable');
    const { family: payload } = this.fixture ?? {};
    return payload && ids.includes(payload.familyId)
      ? [{ id: payload.familyId, version: payload.version, key: payload.familyId, payload }]
      : [];
  }

  async listUnpublishedSnapshots(): Promise<[]> {
    return [];
  }
}

// The database rejects changes of families, so the suite has its own gateway.
describe('A35 while a node cannot store the removal of a member', () => {
  const snapshotSource = new FamilySnapshotSource();
  startGateway({}, 2, snapshotSource);
  let fixture: FamilyFixture;
  let owner: TestClient;
  let guardian: TestClient;

  beforeEach(async () => {
    snapshotSource.isAvailable = true;
    fixture = await createFamily();
    snapshotSource.fixture = fixture;
    [owner, guardian] = [await connect(fixture.owner), await connect(fixture.guardian, otherNode)];
    await fixture.publishLocationChange(createLocation('31.1', 1));
    for (const client of [owner, guardian]) await waitForLatitude(client, '31.1');
    await runAsAdmin(`CREATE FUNCTION gateway.reject_change() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'The test rejects this change'; END $$;
      CREATE TRIGGER rejected BEFORE UPDATE ON gateway.family
        FOR EACH ROW EXECUTE FUNCTION gateway.reject_change()`);
  });
  afterEach(allowFamilyChanges);

  const runAsAdmin = (sql: string) => withClient(environment.database.adminUrl, (client) => client.query(sql));

  async function allowFamilyChanges(): Promise<void> {
    await runAsAdmin('DROP FUNCTION IF EXISTS gateway.reject_change() CASCADE');
  }

  const latitudesReceivedBy = (client: TestClient) =>
    client
      .messagesOfKind('LocationPointChangeMessage')
      .map(({ payload }) => (payload as { location: { latitude: string } }).location.latitude);
  const waitForLatitude = (client: TestClient, latitude: string) =>
    client.waitFor(() => latitudesReceivedBy(client).includes(latitude), `the location ${latitude}`);

  /** Publishes the removal of the guardian and waits until every node has logged that its projection is unknown. */
  async function publishGuardianRemoval(): Promise<void> {
    await fixture.removeGuardian();
    const { familyId } = fixture.family;
    const countUnknown = () =>
      [node, otherNode].filter(({ logs }) =>
        logs.some((line) => line.includes('Projection is unknown') && line.includes(familyId)),
      ).length;
    await waitUntil('the unknown family on every node', () => countUnknown() === 2);
  }

  test('delivery follows the family snapshot that userctx returns: only the removed member receives nothing', async () => {
    await publishGuardianRemoval();
    await waitUntil('a delivered location', async () => {
      await fixture.publishLocationChange(createLocation('31.2', Date.now()));
      return latitudesReceivedBy(owner).includes('31.2');
    });
    await fixture.publishContactChange(2);
    await waitForKind(owner, 'ContactsChangeNoticeMessage');
    await guardian.send('HeartbeatMessage', {});
    expect(latitudesReceivedBy(guardian)).toEqual(['31.1']);
    expect(guardian.messagesOfKind('ContactsChangeNoticeMessage')).toEqual([]);
  });

  test('no member receives anything while userctx does not respond, until the projection is repaired', async () => {
    snapshotSource.isAvailable = false;
    await publishGuardianRemoval();
    await fixture.publishLocationChange(createLocation('31.2', 2));
    await fixture.publishContactChange(2, randomUUID());
    for (const client of [owner, guardian]) await client.send('HeartbeatMessage', {});
    expect([latitudesReceivedBy(owner), latitudesReceivedBy(guardian)]).toEqual([['31.1'], ['31.1']]);
    const lateClient = await connect(fixture.owner, otherNode);
    await allowFamilyChanges();
    snapshotSource.isAvailable = true;
    await waitForKind(owner, 'ContactsChangeNoticeMessage');
    // The location that was withheld arrives without another report of the watch.
    for (const client of [owner, lateClient]) await waitForLatitude(client, '31.2');
    await fixture.publishLocationChange(createLocation('31.3', 3));
    await waitForLatitude(owner, '31.3');
    await guardian.send('HeartbeatMessage', {});
    expect(latitudesReceivedBy(guardian)).toEqual(['31.1']);
    expect(guardian.messagesOfKind('ContactsChangeNoticeMessage')).toEqual([]);
  });

  test('a withheld location arrives when userctx responds, although the projection cannot be repaired', async () => {
    snapshotSource.isAvailable = false;
    await publishGuardianRemoval();
    await fixture.publishLocationChange(createLocation('31.2', 2));
    await owner.send('HeartbeatMessage', {});
    expect(latitudesReceivedBy(owner)).toEqual(['31.1']);
    snapshotSource.isAvailable = true;
    await waitForLatitude(owner, '31.2');
    await guardian.send('HeartbeatMessage', {});
    expect(latitudesReceivedBy(guardian)).toEqual(['31.1']);
  });

  test('the list of center messages fails with FAMILY_NOT_READY until userctx responds, and then omits only what may not be seen', async () => {
    await fixture.publish('userctx.watch.bound', { by: `user:${fixture.owner.id}`, time: Date.now() });
    const listOf = ({ id }: { id: string }) =>
      Promise.all([node, otherNode].map((each) => serviceOf(MessageCenterService, each).list(id, {})));
    for (const member of [fixture.owner, fixture.guardian])
      expect(await listOf(member)).toMatchObject(
        [node, otherNode].map(() => ({ unread: 1, items: [{ type: 'WATCH_BOUND' }] })),
      );
    snapshotSource.isAvailable = false;
    await publishGuardianRemoval();
    for (const member of [fixture.owner, fixture.guardian])
      await expect(listOf(member)).rejects.toMatchObject({ reason: 'FAMILY_NOT_READY' });
    snapshotSource.isAvailable = true;
    // Each request needs a snapshot of userctx on the node that is at most two seconds old.
    await waitFor(async () => {
      for (const { items } of await listOf(fixture.owner))
        expect(items.map(({ type }) => type)).toContain('WATCH_BOUND');
    });
    await waitFor(async () =>
      expect(await listOf(fixture.guardian)).toMatchObject([node, otherNode].map(() => ({ items: [] }))),
    );
  });

  test('the notice of a lost connection waits until the projection is repaired', async () => {
    const watchClient = await connect(fixture.watchPrincipal);
    watchClient.close();
    const presence = serviceOf(PresenceService);
    const key = principalKey(fixture.watchPrincipal);
    await waitUntil('the end of the connection', async () => !(await presence.filterOnline([key])).has(key));
    snapshotSource.isAvailable = false;
    await publishGuardianRemoval();
    environment.clock.forward(5 * 60_000);
    await waitUntil('the offline watch', async () => {
      const changes = await node.outboxPayloadsOf<{ did: number; online: boolean }>('gateway.watch.presence-changed');
      return changes.some(({ did, online }) => did === fixture.did && !online);
    });
    await allowFamilyChanges();
    snapshotSource.isAvailable = true;
    await waitForKind(owner, 'WristwatchShutdownNoticeMessage');
    expect(guardian.messagesOfKind('WristwatchShutdownNoticeMessage')).toEqual([]);
  });
});
