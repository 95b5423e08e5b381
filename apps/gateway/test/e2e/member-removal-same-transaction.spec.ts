import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import { partitionOf } from '@family-watch/event-bus/partition';
import type { GatewayNode } from '../support/gateway-node.js';
import { anotherSession, GatewayTestEnvironment, nextVersion } from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';

let environment: GatewayTestEnvironment;
let nodes: GatewayNode[];

beforeAll(async () => {
  environment = await GatewayTestEnvironment.shared();
  nodes = [await environment.addNode(), await environment.addNode()];
});

afterAll(() => environment.stop());

test('no node delivers a message to a member who is removed in the transaction that stores the message', async () => {
  const fixture = await FamilyFixture.createIn(environment);
  const guardians = await Promise.all(nodes.map((node) => environment.connect(node, anotherSession(fixture.guardian))));
  const owner = await environment.connect(nodes[0] as GatewayNode, fixture.owner);
  const { familyId } = fixture.family;
  const members = fixture.family.members.filter(({ userId }) => userId !== fixture.guardian.id);
  const payload = {
    familyId,
    cid: fixture.cid,
    did: fixture.did,
    refId: 'r1',
    by: 'user:x',
    change: 'UPDATED',
    version: 2,
  };
  const envelopeFields = () => ({ id: randomUUID(), key: familyId, time: environment.clock.now() });
  await environment.messaging.bus.publish(
    createEnvelope('userctx', partitionOf(familyId), [
      { ...envelopeFields(), name: 'userctx.contact.changed', payload },
      { ...envelopeFields(), name: 'userctx.family.changed', payload: nextVersion(fixture.family, { members }) },
    ]),
  );
  await owner.waitFor(() => owner.messagesOfKind('ContactsChangeNoticeMessage').length > 0, 'the notice');
  await sleep(300);
  expect(guardians.map((guardian) => guardian.messagesOfKind('ContactsChangeNoticeMessage').length)).toEqual([0, 0]);
});
