import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sealEnvelope } from '@family-watch/event-bus/envelope';
import { partitionOf } from '@family-watch/event-bus/partition';
import type { GatewayNode } from '../support/gateway-node.js';
import { anotherSession, GatewayWorld, nextVersion } from '../support/gateway-world.js';
import { Household } from '../support/household.js';

let world: GatewayWorld;
let nodes: GatewayNode[];

beforeAll(async () => {
  world = await GatewayWorld.shared();
  nodes = [await world.addNode(), await world.addNode()];
});

afterAll(() => world.stop());

test('who is removed in the unit of work that stores a message does not get it, on whichever node', async () => {
  const home = await Household.in(world);
  const guardians = await Promise.all(nodes.map((node) => world.connect(node, anotherSession(home.guardian))));
  const owner = await world.connect(nodes[0] as GatewayNode, home.owner);
  const { familyId } = home.family;
  const members = home.family.members.filter(({ userId }) => userId !== home.guardian.id);
  const fact = { familyId, cid: home.cid, did: home.did, refId: 'r1', by: 'user:x', change: 'UPDATED', version: 2 };
  const at = () => ({ id: randomUUID(), key: familyId, time: world.clock.now() });
  await world.messaging.bus.publish(
    sealEnvelope('userctx', partitionOf(familyId), [
      { ...at(), name: 'userctx.contact.changed', payload: fact },
      { ...at(), name: 'userctx.family.changed', payload: nextVersion(home.family, { members }) },
    ]),
  );
  await owner.until(() => owner.ofKind('ContactsChangeNoticeMessage').length > 0, 'the notice');
  await sleep(300);
  expect(guardians.map((guardian) => guardian.ofKind('ContactsChangeNoticeMessage').length)).toEqual([0, 0]);
});
