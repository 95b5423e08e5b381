import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { WatchEvents } from '@family-watch/domain/watches/contracts/watch.events';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { NodeLeaseJob } from '../../src/contexts/presence/node-lease.job.js';
import { PresenceService } from '../../src/contexts/presence/presence.service.js';
import { WatchOfflineJob } from '../../src/contexts/presence/watch-offline.job.js';
import type { GatewayNode } from '../support/gateway-node.js';
import { anotherSession, GatewayTestEnvironment, user, watch } from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';

const PATIENCE = 60_000;

let world: GatewayTestEnvironment;
let node: GatewayNode;
let otherNode: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start();
  node = await world.addNode();
  otherNode = await world.addNode();
});

afterAll(() => world.stop());

const presenceOf = (at: GatewayNode) => at.app.get(PresenceService, { strict: false });
const online = async (at: GatewayNode, ...principals: PrincipalKey[]) => [
  ...(await presenceOf(at).filterOnline(principals)),
];

/** Every node looks for silent watches, all at the same moment. */
async function everybodyLooks(nodes: readonly GatewayNode[] = [node, otherNode]): Promise<void> {
  const looks = nodes.flatMap((each) => [1, 2].map(() => each.app.get(WatchOfflineJob, { strict: false }).run()));
  await Promise.all(looks);
}

async function changesOf(did: number, at: GatewayNode = node): Promise<boolean[]> {
  const told = await at.outboxOf<WatchEvents['gateway.watch.presence-changed']>('gateway.watch.presence-changed');
  return told.filter((fact) => fact.did === did).map((fact) => fact.online);
}

async function shutDownsOf(did: number, at: GatewayNode = node): Promise<string[]> {
  const told = await at.outboxOf<WatchEvents['gateway.watch.shut-down']>('gateway.watch.shut-down');
  return told.filter((fact) => fact.did === did).map(({ cause }) => cause);
}

const causesTold = (client: TestClient) =>
  client.ofKind('WristwatchShutdownNoticeMessage').map(({ payload }) => (payload as { cause: string }).cause);

describe('who is online', () => {
  test('every node knows it from the greeting to the end of the last connection', async () => {
    const person = user();
    const key = principalKey(person);
    expect(await online(otherNode, key)).toEqual([]);
    const first = await world.connect(node, person);
    const second = await world.connect(otherNode, anotherSession(person));
    expect(await online(node, key, principalKey(user()))).toEqual([key]);
    first.close();
    await first.waitForDisconnect();
    expect(await online(node, key)).toEqual([key]);
    second.close();
    await untilOffline(node, key);
    expect(await online(otherNode, key)).toEqual([]);
  });

  test('a watch that says nothing for twice the interval is offline although its socket stands', async () => {
    const home = await FamilyFixture.in(world);
    const key = principalKey(home.wearer);
    const wearer = await world.connect(node, home.wearer);
    const owner = await world.connect(otherNode, home.owner);
    expect(await online(otherNode, key)).toEqual([key]);
    world.clock.forward(PATIENCE - 1_000);
    await everybodyLooks();
    expect(await online(otherNode, key)).toEqual([key]);
    world.clock.forward(1_001);
    expect(await online(otherNode, key, principalKey(home.owner))).toEqual([principalKey(home.owner)]);
    await everybodyLooks();
    expect(wearer.socket.connected).toBe(true);
    expect(await changesOf(home.did)).toEqual([true, false]);
    const lastSeen = (await presenceOf(otherNode).findLastSeen([key])).get(key) ?? 0;
    expect(world.clock.now() - lastSeen).toBeGreaterThan(PATIENCE);
    expect(world.clock.now() - lastSeen).toBeLessThan(2 * PATIENCE);
    await owner.waitFor(() => causesTold(owner).length > 0, 'the notice');
    expect(owner.ofKind('WristwatchShutdownNoticeMessage')).toMatchObject([
      { from: { type: 'system' }, did: home.did, cid: home.cid, payload: { did: home.did, cause: 'LOST_CONNECTION' } },
    ]);

    await wearer.send('HeartbeatMessage', { battery: 50 });
    await untilOnline(otherNode, key);
    expect(await changesOf(home.did)).toEqual([true, false, true]);
    world.clock.forward(PATIENCE + 1);
    await everybodyLooks();
    await everybodyLooks();
    await owner.waitFor(() => causesTold(owner).length === 2, 'the second notice');
    expect(await changesOf(home.did)).toEqual([true, false, true, false]);
    expect(await shutDownsOf(home.did)).toEqual(['LOST_CONNECTION', 'LOST_CONNECTION']);
  });

  test('a watch that comes back on another node in time was never gone', async () => {
    const home = await FamilyFixture.in(world);
    const wearer = await world.connect(node, home.wearer);
    world.clock.forward(PATIENCE - 10_000);
    wearer.close();
    await untilOffline(node, principalKey(home.wearer));
    world.clock.forward(9_000);
    await world.connect(otherNode, anotherSession(home.wearer));
    world.clock.forward(PATIENCE - 2_000);
    await everybodyLooks();
    expect(await changesOf(home.did)).toEqual([true]);
    expect(await shutDownsOf(home.did)).toEqual([]);
  });

  test('a watch whose socket ended has twice the interval to come back; then its guardians are told once', async () => {
    const home = await FamilyFixture.in(world);
    const guardian = await world.connect(node, home.guardian);
    const wearer = await world.connect(node, home.wearer);
    world.clock.forward(PATIENCE - 10_000);
    wearer.close();
    await untilOffline(node, principalKey(home.wearer));
    world.clock.forward(20_000);
    await everybodyLooks();
    expect(await changesOf(home.did)).toEqual([true, false]);
    expect(await shutDownsOf(home.did)).toEqual([]);
    world.clock.forward(PATIENCE - 20_000 + 1_000);
    await everybodyLooks();
    await everybodyLooks();
    expect(await shutDownsOf(home.did)).toEqual(['LOST_CONNECTION']);
    await guardian.waitFor(() => causesTold(guardian).length === 1, 'the notice');
  });

  test('a watch that said it shuts down is offline and no alarm', async () => {
    const home = await FamilyFixture.in(world);
    const owner = await world.connect(node, home.owner);
    const wearer = await world.connect(node, home.wearer);
    await wearer.send('WristwatchShutdownNoticeMessage', { cause: 'USER' });
    await wearer.send('HeartbeatMessage', {});
    wearer.close();
    await untilOffline(node, principalKey(home.wearer));
    world.clock.forward(3 * PATIENCE);
    await everybodyLooks();
    expect(await changesOf(home.did)).toEqual([true, false]);
    expect(await shutDownsOf(home.did)).toEqual(['USER']);
    expect(causesTold(owner)).toEqual(['USER']);
  });

  test('a watch that is bound to no child has nobody to be told, and is offline all the same', async () => {
    const lonely = watch();
    await world.connect(node, lonely);
    world.clock.forward(PATIENCE + 1);
    await everybodyLooks();
    expect(await changesOf(Number(lonely.id))).toEqual([true, false]);
    expect(await shutDownsOf(Number(lonely.id))).toEqual([]);
  });
});

describe('nodes that die', () => {
  test('what a node held counts for nothing after its lease and is cleared up', async () => {
    const { executor } = node.unitOfWork;
    const [dead, key] = [randomUUID(), principalKey(user())];
    await executor.query(
      `INSERT INTO gateway.node (node_id, beat_at, listening_since)
       SELECT $1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 10000, 0`,
      [dead],
    );
    await executor.query(
      `INSERT INTO gateway.connection (connection_id, principal, session, node_id, opened_at) VALUES ($2, $1, 's', $3, 0)`,
      [key, randomUUID(), dead],
    );
    expect(await online(node, key)).toEqual([]);
    await Promise.all([node, otherNode].map((each) => each.app.get(NodeLeaseJob, { strict: false }).run()));
    expect(await executor.query('SELECT FROM gateway.connection WHERE node_id = $1', [dead])).toEqual([]);
    expect(await executor.query('SELECT FROM gateway.node WHERE node_id = $1', [dead])).toEqual([]);
  });

  test('a node that was taken for dead and lives says again what it holds', async () => {
    const person = user();
    await world.connect(node, person);
    const { nodeId } = presenceOf(node);
    await node.unitOfWork.executor.query('DELETE FROM gateway.connection WHERE node_id = $1', [nodeId]);
    await node.unitOfWork.executor.query('DELETE FROM gateway.node WHERE node_id = $1', [nodeId]);
    expect(await online(otherNode, principalKey(person))).toEqual([]);
    await node.app.get(NodeLeaseJob, { strict: false }).run();
    expect(await online(otherNode, principalKey(person))).toEqual([principalKey(person)]);
  });

  test('after an outage of all nodes each watch gets its time to come back', async () => {
    const alone = await GatewayTestEnvironment.start();
    try {
      const first = await alone.addNode();
      const home = await FamilyFixture.in(alone);
      await alone.connect(first, home.wearer);
      await first.app.close();
      alone.clock.forward(3_600_000);
      const second = await alone.addNode();
      await everybodyLooks([second]);
      expect(await changesOf(home.did, second)).toEqual([true]);
      alone.clock.forward(PATIENCE + 1);
      await everybodyLooks([second]);
      expect(await changesOf(home.did, second)).toEqual([true, false]);
      expect(await shutDownsOf(home.did, second)).toEqual(['LOST_CONNECTION']);
    } finally {
      await alone.stop();
    }
  });
});

test('five thousand connections in a moment are a few commits', async () => {
  const presence = presenceOf(node);
  const crowd = Array.from({ length: 5_000 }, (_, index) => (index % 2 ? user() : watch()));
  const { executor } = node.unitOfWork;
  const commits = async () => {
    const [row] = await executor.query<{ count: number }>(
      'SELECT count(DISTINCT xmin::text)::int AS count FROM gateway.connection',
    );
    return row?.count ?? 0;
  };
  const before = await commits();
  await Promise.all(crowd.map((principal) => presence.connectionOpened(randomUUID(), principal)));
  expect((await commits()) - before).toBeLessThanOrEqual(10);
  expect((await presence.filterOnline(crowd.map(principalKey))).size).toBe(5_000);
});

async function untilOffline(at: GatewayNode, key: PrincipalKey): Promise<void> {
  await waitUntil(`the end of the connection of ${key}`, async () => !(await holdsConnection(at, key)));
}

async function untilOnline(at: GatewayNode, key: PrincipalKey): Promise<void> {
  await waitUntil(`${key} to be online`, async () => (await online(at, key)).length === 1);
}

async function holdsConnection(at: GatewayNode, key: PrincipalKey): Promise<boolean> {
  const rows = await at.unitOfWork.executor.query('SELECT FROM gateway.connection WHERE principal = $1', [key]);
  return rows.length > 0;
}
