import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayNode } from '../support/gateway-node.js';
import {
  anotherSession,
  familyOf,
  GatewayTestEnvironment,
  nextVersion,
  user,
  watch,
} from '../support/gateway-test-environment.js';
import { headOf, FamilyFixture, place, untilNotices, versionsOf } from '../support/family-fixture.js';

let world: GatewayTestEnvironment;
/** Two processes on one database; behaviour must not depend on the node that a client is connected to. */
let node: GatewayNode;
let otherNode: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.shared();
  node = await world.addNode();
  otherNode = await world.addNode();
});

afterAll(() => world.stop());

describe('access after a membership change', () => {
  test('delivers neither queued nor new messages to a removed member', async () => {
    const home = await FamilyFixture.in(world);
    const [connected, offline] = [home.guardian, anotherSession(home.guardian)];
    (await world.connect(node, offline)).close();
    const client = await world.connect(otherNode, connected);
    const owner = await world.connect(node, home.owner);
    await home.contactChanged(1);
    await untilNotices(client, 1);
    const members = home.family.members.filter(({ userId }) => userId !== home.guardian.id);
    await world.familyChanged(nextVersion(home.family, { members }));
    await home.contactChanged(2);
    await home.locationChanged(place('31.5'));
    await untilNotices(owner, 2);
    const returned = await world.connect(node, offline);
    await sleep(300);
    expect(versionsOf(client)).toEqual([1]);
    expect(client.ofKind('LocationPointChangeMessage')).toEqual([]);
    expect(returned.messages).toEqual([]);
  });

  test('does not restore a removed member from an older snapshot', async () => {
    const home = await FamilyFixture.in(world);
    const members = home.family.members.slice(0, 1);
    await world.familyChanged({ ...home.family, members, version: 3 });
    await world.familyChanged({ ...home.family, version: 2 });
    const client = await world.connect(node, home.guardian, { last: 0 });
    await home.contactChanged(1);
    await sleep(200);
    expect(client.messages).toEqual([]);
  });

  test('delivers the unbind notice, and no message of the family, to an unbound watch', async () => {
    const home = await FamilyFixture.in(world);
    const before = await world.connect(node, home.wearer);
    before.close();
    await home.contactChanged(1);
    const { familyId } = home.family;
    const payload = { familyId, cid: home.cid, did: home.did, by: 'user:x', time: world.clock.now() } as const;
    await world.publish({ name: 'userctx.watch.unbound', key: familyId, payload });
    await world.familyChanged(nextVersion(home.family, { children: [{ cid: home.cid, did: null }] }));
    const [wearer, owner] = await Promise.all([
      world.connect(node, anotherSession(home.wearer)),
      world.connect(node, home.owner, { last: 0 }),
    ]);
    await wearer.waitFor(() => wearer.durable.length > 0, 'the notice');
    await owner.waitFor(() => owner.ofKind('DeviceBindStateChangeNoticeMessage').length > 0, 'the notice');
    const start = headOf(before);
    expect(wearer.durable.map(({ kind, seq }) => ({ kind, seq }))).toEqual([
      { kind: 'DeviceBindStateChangeNoticeMessage', seq: start + 2 },
    ]);
    expect(wearer.durable[0]?.payload).toEqual({ did: home.did, cid: home.cid, state: 'UNBOUND', by: 'user:x' });
    expect(wearer.frames[0]).toMatchObject({ after: start, through: headOf(wearer) });
    expect(owner.ofKind('DeviceBindStateChangeNoticeMessage')).toHaveLength(1);
    const report = await wearer.send('LocationPointChangeMessage', { points: [place('1.0')] });
    expect(report).toMatchObject({ ok: false, reason: 'WATCH_UNBOUND' });
  });

  test('accepts events from a watch that is bound while it is connected', async () => {
    const [owner, wearer] = [user(), watch()];
    const client = await world.connect(otherNode, wearer);
    const family = familyOf(owner, [], wearer);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: false });
    await world.familyChanged(family);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: true });
  });

  test('retries a notice until the snapshot of its family has been received', async () => {
    const home = new FamilyFixture(world);
    const client = await world.connect(node, home.owner);
    await home.contactChanged(1);
    await world.familyChanged(home.family);
    await untilNotices(client, 1);
  });
});
