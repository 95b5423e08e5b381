import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import { partitionOf } from '@family-watch/event-bus/partition';
import { anotherSession, nextVersion } from '../support/gateway-test-environment.js';
import { connect, createFamily, environment, node, otherNode, useSharedGateway } from '../support/suite-gateway.js';

useSharedGateway();

test('no node delivers a message to a member who is removed in the transaction that stores the message', async () => {
  const fixture = await createFamily();
  const guardians = await Promise.all([node, otherNode].map((at) => connect(anotherSession(fixture.guardian), at)));
  const owner = await connect(fixture.owner);
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
