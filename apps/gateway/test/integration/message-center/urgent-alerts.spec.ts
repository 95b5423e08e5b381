import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import type { MessageEvents } from '@family-watch/domain/messages/contracts/message.events';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { AlertsEventHandlers } from '../../../src/notifications/message-center/alerts.event-handlers.js';
import { MessageCenterService } from '../../../src/notifications/message-center/message-center.service.js';
import {
  ALERT_DELIVERY_TIMEOUT_MS,
  UrgentAlertsService,
} from '../../../src/notifications/message-center/urgent-alerts.service.js';
import { PushTokenService } from '../../../src/notifications/push/push-token.service.js';
import { type FamilyFixture, waitForKind } from '../../support/family-fixture.js';
import { LocalPushService, PUSH_SETTINGS, PushSubscriber } from '../../support/local-push-service.js';
import { connect, createFamily } from '../../support/clients.js';
import { environment, node, otherNode, query, serviceOf, startGateway } from '../../support/suite-gateway.js';

startGateway(PUSH_SETTINGS);

let fixture: FamilyFixture;
beforeEach(async () => {
  fixture = await createFamily();
});

const raiseSos = (sosId: string = randomUUID()) => fixture.publish('userctx.sos.raised', { sosId, time: 1_000 });

/** Publishes an escalation step with these recipients. */
const publishEscalation = (sosId: string, step: number, userIds: string[]) =>
  fixture.publish('userctx.sos.escalated', { sosId, time: 2_000, step, userIds });

/** Moves the clock past the delivery timeout; returns the ids of the users with undelivered alerts. */
async function findUsersWithUndeliveredAlerts(): Promise<string[]> {
  environment.clock.forward(ALERT_DELIVERY_TIMEOUT_MS + 1_000);
  const runs = [node, otherNode].map((each) => serviceOf(UrgentAlertsService, each).publishUndeliveredAlerts());
  await Promise.all(runs);
  // The job of a node may have claimed alerts and not committed yet; this statement waits for its locks.
  await query('SELECT FROM gateway.alert FOR UPDATE');
  const events = await node.outboxPayloadsOf<MessageEvents['gateway.alert.undelivered']>('gateway.alert.undelivered');
  const { familyId } = fixture.family;
  return events.filter((alert) => alert.familyId === familyId && alert.cid === fixture.cid).map(({ userId }) => userId);
}

test('UrgentAlertsService reports each user with an undelivered urgent alert exactly once across all nodes', async () => {
  await raiseSos();
  expect((await findUsersWithUndeliveredAlerts()).toSorted()).toEqual(
    [fixture.owner.id, fixture.guardian.id].toSorted(),
  );
  expect(await findUsersWithUndeliveredAlerts()).toHaveLength(2);
});

test('UrgentAlertsService counts an alert as delivered when a device acknowledges it, not when a device only receives the alert', async () => {
  const connected = await connect(fixture.owner);
  const acknowledging = await connect(fixture.guardian, otherNode);
  await raiseSos();
  for (const client of [connected, acknowledging]) {
    await waitForKind(client, 'MessageCenterChangeNoticeMessage');
  }
  await acknowledging.send('AckMessage', { seq: acknowledging.durable.at(-1)?.seq });
  expect(await findUsersWithUndeliveredAlerts()).toEqual([fixture.owner.id]);
});

test('UrgentAlertsService counts an alert as delivered when a push service accepts it', async () => {
  const service = await LocalPushService.start();
  const phone = new PushSubscriber(service.origin);
  const request = { service: 'WEB_PUSH', token: phone.endpoint, keys: phone.keys } as const;
  await serviceOf(PushTokenService).create(fixture.guardian, request);
  await raiseSos();
  await waitUntil('the record of the accepted push', async () => {
    const pushed = 'SELECT FROM gateway.alert WHERE user_id = $1 AND pushed';
    return (await query(pushed, [fixture.guardian.id])).length > 0;
  });
  expect(await findUsersWithUndeliveredAlerts()).toEqual([fixture.owner.id]);
  await service.stop();
});

test('AlertsEventHandlers publishes a further urgent message about an SOS only to the recipients of an escalation step', async () => {
  const messageCenter = serviceOf(MessageCenterService);
  const [sosId, stranger] = [randomUUID(), randomUUID()];
  await raiseSos(sosId);
  expect(await findUsersWithUndeliveredAlerts()).toHaveLength(2);
  await publishEscalation(sosId, 1, [fixture.guardian.id]);
  const typesOf = async (userId: string) => (await messageCenter.list(userId, {})).items.map(({ type }) => type);
  expect(await typesOf(fixture.owner.id)).toEqual(['SOS_RAISED']);
  const { items } = await messageCenter.list(fixture.guardian.id, {});
  expect(items[0]).toMatchObject({ type: 'SOS_ESCALATED', severity: 'URGENT', params: { sosId, step: 1 } });
  expect((await findUsersWithUndeliveredAlerts()).toSorted()).toEqual(
    [fixture.owner.id, fixture.guardian.id, fixture.guardian.id].toSorted(),
  );
  const events = await node.outboxPayloadsOf<MessageEvents['gateway.alert.undelivered']>('gateway.alert.undelivered');
  expect(events.filter(({ about }) => about === sosId)).toHaveLength(3);
  // An escalation step without recipients, or with a recipient who is not a member, publishes nothing.
  await publishEscalation(sosId, 2, []);
  await publishEscalation(sosId, 3, [stranger]);
  expect((await messageCenter.list(stranger, {})).items).toEqual([]);
});

test('UrgentAlertsService reports no undelivered alert of an SOS that was resolved', async () => {
  const sosId = randomUUID();
  await raiseSos(sosId);
  await fixture.publish('userctx.sos.resolved', { sosId, time: 1_000, by: `user:${fixture.owner.id}` });
  expect(await findUsersWithUndeliveredAlerts()).toEqual([]);
});

test('UrgentAlertsService reports no undelivered alert of an SOS raised and resolved in one transaction', async () => {
  const handlers = serviceOf(AlertsEventHandlers);
  const sos = {
    familyId: fixture.family.familyId,
    cid: fixture.cid,
    did: fixture.did,
    sosId: randomUUID(),
    time: 1_000,
  };
  const event = { key: fixture.family.familyId, time: environment.clock.now() };
  await node.unitOfWork.run(async () => {
    await handlers.publishSos({ ...event, id: randomUUID(), name: 'userctx.sos.raised', payload: sos });
    const payload = { ...sos, by: `user:${fixture.owner.id}` } as const;
    await handlers.publishSos({ ...event, id: randomUUID(), name: 'userctx.sos.resolved', payload });
  });
  expect(await findUsersWithUndeliveredAlerts()).toEqual([]);
});

test('UrgentAlertsService reports no undelivered alert for a user who has left the family', async () => {
  await raiseSos();
  await fixture.removeGuardian();
  expect(await findUsersWithUndeliveredAlerts()).toEqual([fixture.owner.id]);
});
