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
/** Two processes on one database: nothing may depend on which of them a client is connected to. */
let node: GatewayNode;
let otherNode: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.shared();
  node = await world.addNode();
  otherNode = await world.addNode();
});

afterAll(() => world.stop());

describe('belonging', () => {
  test('a removed member gets nothing more: not what is queued, and not what comes', async () => {
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

  test('an older snapshot does not bring a removed member back', async () => {
    const home = await FamilyFixture.in(world);
    const members = home.family.members.slice(0, 1);
    await world.familyChanged({ ...home.family, members, version: 3 });
    await world.familyChanged({ ...home.family, version: 2 });
    const client = await world.connect(node, home.guardian, { last: 0 });
    await home.contactChanged(1);
    await sleep(200);
    expect(client.messages).toEqual([]);
  });

  test('an unbound watch gets its own notice and nothing of the family, queued messages included', async () => {
    const home = await FamilyFixture.in(world);
    const before = await world.connect(node, home.wearer);
    before.close();
    await home.contactChanged(1);
    const { familyId } = home.family;
    const fact = { familyId, cid: home.cid, did: home.did, by: 'user:x', time: world.clock.now() } as const;
    await world.publish({ name: 'userctx.watch.unbound', key: familyId, payload: fact });
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

  test('a watch that is bound while it is connected may speak at once', async () => {
    const [owner, wearer] = [user(), watch()];
    const client = await world.connect(otherNode, wearer);
    const family = familyOf(owner, [], wearer);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: false });
    await world.familyChanged(family);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: true });
  });

  test('a notice of a family that was not heard of yet waits for it', async () => {
    const home = new FamilyFixture(world);
    const client = await world.connect(node, home.owner);
    await home.contactChanged(1);
    await world.familyChanged(home.family);
    await untilNotices(client, 1);
  });
});
