import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import { partitionOf } from '@family-watch/event-bus/partition';
import type { GatewayNode } from '../support/gateway-node.js';
import { anotherSession, GatewayTestEnvironment, nextVersion } from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';

let world: GatewayTestEnvironment;
let nodes: GatewayNode[];

beforeAll(async () => {
  world = await GatewayTestEnvironment.shared();
  nodes = [await world.addNode(), await world.addNode()];
});

afterAll(() => world.stop());

test('does not deliver a message to a member removed in the same transaction, on any node', async () => {
  const home = await FamilyFixture.in(world);
  const guardians = await Promise.all(nodes.map((node) => world.connect(node, anotherSession(home.guardian))));
  const owner = await world.connect(nodes[0] as GatewayNode, home.owner);
  const { familyId } = home.family;
  const members = home.family.members.filter(({ userId }) => userId !== home.guardian.id);
  const payload = { familyId, cid: home.cid, did: home.did, refId: 'r1', by: 'user:x', change: 'UPDATED', version: 2 };
  const envelopeFields = () => ({ id: randomUUID(), key: familyId, time: world.clock.now() });
  await world.messaging.bus.publish(
    createEnvelope('userctx', partitionOf(familyId), [
      { ...envelopeFields(), name: 'userctx.contact.changed', payload },
      { ...envelopeFields(), name: 'userctx.family.changed', payload: nextVersion(home.family, { members }) },
    ]),
  );
  await owner.waitFor(() => owner.ofKind('ContactsChangeNoticeMessage').length > 0, 'the notice');
  await sleep(300);
  expect(guardians.map((guardian) => guardian.ofKind('ContactsChangeNoticeMessage').length)).toEqual([0, 0]);
});
