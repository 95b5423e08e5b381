import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { WatchEvents } from '@family-watch/domain/watches/contracts/watch';
import { principalKey, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitFor, waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ConnectionRegistryService } from '../../src/connections/connection-registry.service.js';
import { AcknowledgementsService } from '../../src/mailbox/acknowledgements.service.js';
import { MailboxService } from '../../src/mailbox/mailbox.service.js';
import { PresenceService } from '../../src/connections/presence/presence.service.js';
import { ConnectedFamiliesService } from '../../src/projections/connected-families.service.js';
import { WatchLivenessService } from '../../src/connections/presence/watch-liveness.service.js';
import type { GatewayNode } from '../support/gateway-node.js';
import { anotherSession, GatewayTestEnvironment, user, watch } from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { connect, createFamily } from '../support/clients.js';
import { environment, node, otherNode, query, serviceOf, startGateway } from '../support/suite-gateway.js';

const OFFLINE_TIMEOUT_MS = 60_000;

startGateway();
beforeAll(() => environment.clock.stop());

const presenceServiceOf = (at: GatewayNode) => serviceOf(PresenceService, at);
const findOnline = async (at: GatewayNode, ...principals: PrincipalKey[]) => [
  ...(await presenceServiceOf(at).filterOnline(principals)),
];

/** Runs the offline check on every node, twice concurrently on each. */
async function runOfflineChecks(nodes: readonly GatewayNode[] = [node, otherNode]): Promise<void> {
  // The job of a node may have claimed watches and not committed yet; this statement waits for its locks.
  const waitForJobs = () => nodes[0]?.unitOfWork.executor.query('SELECT FROM gateway.watch_presence FOR UPDATE');
  await waitForJobs();
  const runs = nodes.flatMap((each) => [1, 2].map(() => serviceOf(WatchLivenessService, each).markOffline()));
  await Promise.all(runs);
  await waitForJobs();
}

async function presenceChangesOf(did: number, at: GatewayNode = node): Promise<boolean[]> {
  const events = await at.outboxPayloadsOf<WatchEvents['gateway.watch.presence-changed']>(
    'gateway.watch.presence-changed',
  );
  return events.filter((event) => event.did === did).map((event) => event.online);
}

async function shutdownCausesOf(did: number, at: GatewayNode = node): Promise<string[]> {
  const events = await at.outboxPayloadsOf<WatchEvents['gateway.watch.shut-down']>('gateway.watch.shut-down');
  return events.filter((event) => event.did === did).map(({ cause }) => cause);
}

const shutdownNoticeCausesOf = (client: TestClient) =>
  client.messagesOfKind('WristwatchShutdownNoticeMessage').map(({ payload }) => (payload as { cause: string }).cause);

describe('online state', () => {
  test('is visible on every node from `hello` until the last connection closes', async () => {
    const person = user();
    const key = principalKey(person);
    expect(await findOnline(otherNode, key)).toEqual([]);
    const first = await connect(person);
    const second = await connect(anotherSession(person), otherNode);
    expect(await findOnline(node, key, principalKey(user()))).toEqual([key]);
    first.close();
    await first.waitForDisconnect();
    expect(await findOnline(node, key)).toEqual([key]);
    second.close();
    await waitUntilOffline(node, key);
    expect(await findOnline(otherNode, key)).toEqual([]);
  });

  test('is not stored for a connection that closes while it waits for its setup', async () => {
    const { owner } = await createFamily();
    const key = principalKey(owner);
    const acknowledgements = serviceOf(AcknowledgementsService);
    const setups = Promise.withResolvers<void>();
    const open = acknowledgements.open.bind(acknowledgements);
    // Two connections of a person are set up at the same time; others wait.
    const blocked = jest.spyOn(acknowledgements, 'open').mockImplementation(async (...args) => {
      await setups.promise;
      return open(...args);
    });
    const auth = { token: await environment.tokenOf(owner) };
    const clients = [1, 2, 3].map(() => environment.openClient(node, auth));
    const connections = serviceOf(ConnectionRegistryService);
    await waitUntil('three connections', async () => connections.sessionsOf(key).length === 3);
    for (const client of clients) client.close();
    await waitUntil('no connection', async () => connections.sessionsOf(key).length === 0);
    blocked.mockRestore();
    setups.resolve();
    // The setup of this connection begins after those of the others.
    const last = await connect(owner);
    expect(await query('SELECT 1 FROM gateway.connection WHERE principal = $1', [key])).toHaveLength(1);
    expect(serviceOf(ConnectedFamiliesService).familiesOf(key)).toHaveLength(1);
    last.close();
    await waitUntil('no connection', async () => connections.sessionsOf(key).length === 0);
    expect(serviceOf(ConnectedFamiliesService).familiesOf(key)).toEqual([]);
  });

  test('marks a watch offline after two missed heartbeat intervals, although its socket is open', async () => {
    const fixture = await createFamily();
    const key = principalKey(fixture.watchPrincipal);
    const watchClient = await connect(fixture.watchPrincipal);
    const owner = await connect(fixture.owner, otherNode);
    expect(await findOnline(otherNode, key)).toEqual([key]);
    environment.clock.forward(OFFLINE_TIMEOUT_MS - 1_000);
    await runOfflineChecks();
    expect(await findOnline(otherNode, key)).toEqual([key]);
    environment.clock.forward(1_001);
    expect(await findOnline(otherNode, key, principalKey(fixture.owner))).toEqual([principalKey(fixture.owner)]);
    await runOfflineChecks();
    expect(watchClient.socket.connected).toBe(true);
    expect(await presenceChangesOf(fixture.did)).toEqual([true, false]);
    const lastSeen = (await presenceServiceOf(otherNode).findLastSeen([key])).get(key) ?? 0;
    expect(environment.clock.now() - lastSeen).toBeGreaterThan(OFFLINE_TIMEOUT_MS);
    expect(environment.clock.now() - lastSeen).toBeLessThan(2 * OFFLINE_TIMEOUT_MS);
    await owner.waitFor(() => shutdownNoticeCausesOf(owner).length > 0, 'the notice');
    expect(owner.messagesOfKind('WristwatchShutdownNoticeMessage')).toMatchObject([
      {
        from: { type: 'system' },
        did: fixture.did,
        cid: fixture.cid,
        payload: { did: fixture.did, cause: 'LOST_CONNECTION' },
      },
    ]);

    await watchClient.send('HeartbeatMessage', { battery: 50 });
    await waitUntilOnline(otherNode, key);
    expect(await presenceChangesOf(fixture.did)).toEqual([true, false, true]);
    environment.clock.forward(OFFLINE_TIMEOUT_MS + 1);
    await runOfflineChecks();
    await runOfflineChecks();
    await owner.waitFor(() => shutdownNoticeCausesOf(owner).length === 2, 'the second notice');
    expect(await presenceChangesOf(fixture.did)).toEqual([true, false, true, false]);
    expect(await shutdownCausesOf(fixture.did)).toEqual(['LOST_CONNECTION', 'LOST_CONNECTION']);
  });

  test('stays online when a watch reconnects to another node within the timeout', async () => {
    const fixture = await createFamily();
    const watchClient = await connect(fixture.watchPrincipal);
    environment.clock.forward(OFFLINE_TIMEOUT_MS - 10_000);
    watchClient.close();
    await waitUntilOffline(node, principalKey(fixture.watchPrincipal));
    environment.clock.forward(9_000);
    await connect(anotherSession(fixture.watchPrincipal), otherNode);
    environment.clock.forward(OFFLINE_TIMEOUT_MS - 2_000);
    await runOfflineChecks();
    expect(await presenceChangesOf(fixture.did)).toEqual([true]);
    expect(await shutdownCausesOf(fixture.did)).toEqual([]);
  });

  test('notifies the guardians once when a watch does not reconnect within two heartbeat intervals', async () => {
    const fixture = await createFamily();
    const guardian = await connect(fixture.guardian);
    const watchClient = await connect(fixture.watchPrincipal);
    environment.clock.forward(OFFLINE_TIMEOUT_MS - 10_000);
    watchClient.close();
    await waitUntilOffline(node, principalKey(fixture.watchPrincipal));
    environment.clock.forward(20_000);
    await runOfflineChecks();
    expect(await presenceChangesOf(fixture.did)).toEqual([true, false]);
    expect(await shutdownCausesOf(fixture.did)).toEqual([]);
    environment.clock.forward(OFFLINE_TIMEOUT_MS - 20_000 + 1_000);
    await runOfflineChecks();
    await runOfflineChecks();
    expect(await shutdownCausesOf(fixture.did)).toEqual(['LOST_CONNECTION']);
    await guardian.waitFor(() => shutdownNoticeCausesOf(guardian).length === 1, 'the notice');
  });

  test('marks a watch that reported its shutdown offline without reporting a lost connection', async () => {
    const fixture = await createFamily();
    const owner = await connect(fixture.owner);
    const watchClient = await connect(fixture.watchPrincipal);
    await watchClient.send('WristwatchShutdownNoticeMessage', { cause: 'USER' });
    await watchClient.send('HeartbeatMessage', {});
    watchClient.close();
    await waitUntilOffline(node, principalKey(fixture.watchPrincipal));
    environment.clock.forward(3 * OFFLINE_TIMEOUT_MS);
    await runOfflineChecks();
    expect(await presenceChangesOf(fixture.did)).toEqual([true, false]);
    expect(await shutdownCausesOf(fixture.did)).toEqual(['USER']);
    expect(shutdownNoticeCausesOf(owner)).toEqual(['USER']);
  });

  test('reports a lost connection of a watch whose shutdown report could not be stored', async () => {
    const fixture = await createFamily();
    const watchClient = await connect(fixture.watchPrincipal);
    const deliver = jest.spyOn(serviceOf(MailboxService), 'deliver');
    deliver.mockRejectedValueOnce(new ServiceError('OVERLOADED'));
    const response = await watchClient.send('WristwatchShutdownNoticeMessage', { cause: 'USER' });
    deliver.mockRestore();
    expect(response).toMatchObject({ ok: false, reason: 'OVERLOADED' });
    watchClient.close();
    await waitUntilOffline(node, principalKey(fixture.watchPrincipal));
    environment.clock.forward(3 * OFFLINE_TIMEOUT_MS);
    await runOfflineChecks();
    expect(await shutdownCausesOf(fixture.did)).toEqual(['LOST_CONNECTION']);
  });

  test('marks an unbound watch offline without notifying anyone', async () => {
    const unbound = watch();
    await connect(unbound);
    environment.clock.forward(OFFLINE_TIMEOUT_MS + 1);
    await runOfflineChecks();
    expect(await presenceChangesOf(Number(unbound.id))).toEqual([true, false]);
    expect(await shutdownCausesOf(Number(unbound.id))).toEqual([]);
  });
});

describe('crashed nodes', () => {
  test('count as having no connections once their lease has expired, and their rows are deleted', async () => {
    const { executor } = node.unitOfWork;
    const [expiredNode, key] = [randomUUID(), principalKey(user())];
    await executor.query(
      `INSERT INTO gateway.node (node_id, beat_at, listening_since)
       SELECT $1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 10000, 0`,
      [expiredNode],
    );
    await executor.query(
      `INSERT INTO gateway.connection (connection_id, principal, session, node_id, opened_at) VALUES ($2, $1, 's', $3, 0)`,
      [key, randomUUID(), expiredNode],
    );
    expect(await findOnline(node, key)).toEqual([]);
    await Promise.all([node, otherNode].map((each) => presenceServiceOf(each).renewLease()));
    // The job of a node may have claimed the expired node and not committed yet.
    await waitFor(async () => {
      expect(await executor.query('SELECT FROM gateway.connection WHERE node_id = $1', [expiredNode])).toEqual([]);
      expect(await executor.query('SELECT FROM gateway.node WHERE node_id = $1', [expiredNode])).toEqual([]);
    });
  });

  test('that turn out to be running store their connections again after another node has deleted them', async () => {
    const person = user();
    await connect(person);
    const { nodeId } = presenceServiceOf(node);
    // The job of the node may store the connections again between these statements.
    await waitFor(async () => {
      await query('DELETE FROM gateway.connection WHERE node_id = $1', [nodeId]);
      await query('DELETE FROM gateway.node WHERE node_id = $1', [nodeId]);
      expect(await findOnline(otherNode, principalKey(person))).toEqual([]);
    });
    await waitFor(async () => {
      await presenceServiceOf(node).renewLease();
      expect(await findOnline(otherNode, principalKey(person))).toEqual([principalKey(person)]);
    });
  });

  test('leave each watch its full timeout to reconnect after all nodes were down', async () => {
    const ownEnvironment = await GatewayTestEnvironment.start();
    try {
      const first = await ownEnvironment.addNode();
      const fixture = await FamilyFixture.createIn(ownEnvironment);
      await ownEnvironment.connect(first, fixture.watchPrincipal);
      await first.app.close();
      ownEnvironment.clock.forward(3_600_000);
      const second = await ownEnvironment.addNode();
      await runOfflineChecks([second]);
      expect(await presenceChangesOf(fixture.did, second)).toEqual([true]);
      ownEnvironment.clock.forward(OFFLINE_TIMEOUT_MS + 1);
      await runOfflineChecks([second]);
      expect(await presenceChangesOf(fixture.did, second)).toEqual([true, false]);
      expect(await shutdownCausesOf(fixture.did, second)).toEqual(['LOST_CONNECTION']);
    } finally {
      await ownEnvironment.stop();
    }
  });
});

test('PresenceService stores five thousand concurrent connections in at most ten commits', async () => {
  const presence = presenceServiceOf(node);
  const principals = Array.from({ length: 5_000 }, (_, index) => (index % 2 ? user() : watch()));
  const { executor } = node.unitOfWork;
  const countCommits = async () => {
    const [row] = await executor.query<{ count: number }>(
      'SELECT count(DISTINCT xmin::text)::int AS count FROM gateway.connection',
    );
    return row?.count ?? 0;
  };
  const before = await countCommits();
  await Promise.all(principals.map((principal) => presence.connectionOpened(randomUUID(), principal)));
  expect((await countCommits()) - before).toBeLessThanOrEqual(10);
  expect((await presence.filterOnline(principals.map(principalKey))).size).toBe(5_000);
});

async function waitUntilOffline(at: GatewayNode, key: PrincipalKey): Promise<void> {
  await waitUntil(`the end of the connection of ${key}`, async () => !(await hasConnection(at, key)));
}

async function waitUntilOnline(at: GatewayNode, key: PrincipalKey): Promise<void> {
  await waitUntil(`${key} to be online`, async () => (await findOnline(at, key)).length === 1);
}

async function hasConnection(at: GatewayNode, key: PrincipalKey): Promise<boolean> {
  const rows = await at.unitOfWork.executor.query('SELECT FROM gateway.connection WHERE principal = $1', [key]);
  return rows.length > 0;
}
