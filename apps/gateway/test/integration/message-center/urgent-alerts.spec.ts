import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageEvents } from '@family-watch/domain/messages/contracts/message.events';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { CenterMessageService } from '../../../src/contexts/message-center/center-message.service.js';
import { PublishSosHandler } from '../../../src/contexts/message-center/handlers/publish-sos.handler.js';
import {
  ALERT_DELIVERY_TIMEOUT_MS,
  UrgentAlertsService,
} from '../../../src/contexts/message-center/urgent-alerts.service.js';
import { PushTokenService } from '../../../src/contexts/push/push-token.service.js';
import type { GatewayNode } from '../../support/gateway-node.js';
import { GatewayTestEnvironment, nextVersion } from '../../support/gateway-test-environment.js';
import { FamilyFixture } from '../../support/family-fixture.js';
import { LocalPushService, PushSubscriber } from '../../support/push-service.js';

let world: GatewayTestEnvironment;
let nodes: [GatewayNode, GatewayNode];
let home: FamilyFixture;

beforeAll(async () => {
  const SECRET_KEY = 'only for tests, only for tests, only';
  world = await GatewayTestEnvironment.start({ SECRET_KEY, PUSH_ALLOW_INSECURE_ENDPOINTS: 'yes' });
  nodes = [await world.addNode(), await world.addNode()];
});
afterAll(() => world.stop());
beforeEach(async () => {
  home = await FamilyFixture.in(world);
});

function sos(name: 'raised' | 'resolved', sosId: string) {
  const { familyId } = home.family;
  const payload = { familyId, cid: home.cid, did: home.did, sosId, time: 1_000 };
  return name === 'raised'
    ? world.publish({ name: 'userctx.sos.raised', key: familyId, payload })
    : world.publish({
        name: 'userctx.sos.resolved',
        key: familyId,
        payload: { ...payload, by: `user:${home.owner.id}` },
      } as const);
}

/** Its next turn: these are told again. */
function escalated(sosId: string, step: number, userIds: string[]) {
  const { familyId } = home.family;
  const fact = { familyId, cid: home.cid, did: home.did, sosId, time: 2_000 };
  return world.publish({ name: 'userctx.sos.escalated', key: familyId, payload: { ...fact, step, userIds } });
}

/** Who was told to nobody of theirs, after the time that devices have. */
async function unreached(): Promise<string[]> {
  world.clock.forward(ALERT_DELIVERY_TIMEOUT_MS + 1_000);
  const settle = nodes.map(({ app }) => app.get(UrgentAlertsService, { strict: false }).processDue());
  await Promise.all(settle);
  const told = await nodes[0].outboxOf<MessageEvents['gateway.alert.undelivered']>('gateway.alert.undelivered');
  const { familyId } = home.family;
  return told.filter((fact) => fact.familyId === familyId && fact.cid === home.cid).map(({ userId }) => userId);
}

test('each person whom no device has told is named once, by whichever node', async () => {
  await sos('raised', randomUUID());
  expect((await unreached()).toSorted()).toEqual([home.owner.id, home.guardian.id].toSorted());
  expect(await unreached()).toHaveLength(2);
});

test('a device that has acknowledged it is enough, one that is only connected is not', async () => {
  const connected = await world.connect(nodes[0], home.owner);
  const acknowledging = await world.connect(nodes[1], home.guardian);
  await sos('raised', randomUUID());
  for (const client of [connected, acknowledging]) {
    await client.waitFor(() => client.ofKind('MessageCenterChangeNoticeMessage').length > 0, 'the alert');
  }
  await acknowledging.send('AckMessage', { seq: acknowledging.durable.at(-1)?.seq });
  expect(await unreached()).toEqual([home.owner.id]);
});

test('so is a push service that has taken it', async () => {
  const service = await LocalPushService.start();
  const phone = new PushSubscriber(service.origin);
  const request = { service: 'WEB_PUSH', token: phone.endpoint, keys: phone.keys } as const;
  await nodes[0].app.get(PushTokenService, { strict: false }).create(home.guardian, request);
  await sos('raised', randomUUID());
  await waitUntil('the push', () => service.to(phone).length > 0);
  await sleep(300);
  expect(await unreached()).toEqual([home.owner.id]);
  await service.stop();
});

test('whose turn it is has another urgent message, about the same call, and nobody else has', async () => {
  const inbox = nodes[0].app.get(CenterMessageService, { strict: false });
  const [sosId, stranger] = [randomUUID(), randomUUID()];
  await sos('raised', sosId);
  expect(await unreached()).toHaveLength(2);
  await escalated(sosId, 1, [home.guardian.id]);
  const typesOf = async (userId: string) => (await inbox.list(userId, {})).items.map(({ type }) => type);
  expect(await typesOf(home.owner.id)).toEqual(['SOS_RAISED']);
  const { items } = await inbox.list(home.guardian.id, {});
  expect(items[0]).toMatchObject({ type: 'SOS_ESCALATED', severity: 'URGENT', params: { sosId, step: 1 } });
  expect((await unreached()).toSorted()).toEqual([home.owner.id, home.guardian.id, home.guardian.id].toSorted());
  const told = await nodes[0].outboxOf<MessageEvents['gateway.alert.undelivered']>('gateway.alert.undelivered');
  expect(told.filter(({ about }) => about === sosId)).toHaveLength(3);
  // Nobody's turn, and somebody's who has left: neither is told anything.
  await escalated(sosId, 2, []);
  await escalated(sosId, 3, [stranger]);
  expect((await inbox.list(stranger, {})).items).toEqual([]);
});

test('when somebody cares for it, nobody else need be reached', async () => {
  const sosId = randomUUID();
  await sos('raised', sosId);
  await sos('resolved', sosId);
  expect(await unreached()).toEqual([]);
});

test('not even when the bus brings both at once, in one unit of work', async () => {
  const handler = nodes[0].app.get(PublishSosHandler, { strict: false });
  const fact = { familyId: home.family.familyId, cid: home.cid, did: home.did, sosId: randomUUID(), time: 1_000 };
  const event = { key: home.family.familyId, time: world.clock.now() };
  await nodes[0].unitOfWork.run(async () => {
    await handler.handle({ ...event, id: randomUUID(), name: 'userctx.sos.raised', payload: fact });
    const payload = { ...fact, by: `user:${home.owner.id}` } as const;
    await handler.handle({ ...event, id: randomUUID(), name: 'userctx.sos.resolved', payload });
  });
  expect(await unreached()).toEqual([]);
});

test('whoever has left the family meanwhile is told nothing', async () => {
  await sos('raised', randomUUID());
  await world.familyChanged(nextVersion(home.family, { members: home.family.members.slice(0, 1) }));
  expect(await unreached()).toEqual([home.owner.id]);
});
