import { randomUUID } from 'node:crypto';
import { describe, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { FamilyEventMonitor } from '@family-watch/platform/jobs/family-event-monitor';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { anotherSession, familyOf, nextVersion, user, watch } from '../support/gateway-test-environment.js';
import {
  headOf,
  FamilyFixture,
  createLocation,
  waitForNotices,
  versionsOf,
  waitForKind,
} from '../support/family-fixture.js';
import { callerOf, connect, createFamily } from '../support/clients.js';
import { environment, node, otherNode, serviceOf, useSharedGateway } from '../support/suite-gateway.js';

useSharedGateway();

describe('access after a membership change', () => {
  test('delivers neither queued nor new messages to a removed member', async () => {
    const fixture = await createFamily();
    const [connected, offline] = [fixture.guardian, anotherSession(fixture.guardian)];
    (await connect(offline)).close();
    const client = await connect(connected, otherNode);
    const owner = await connect(fixture.owner);
    await fixture.publishContactChange(1);
    await waitForNotices(client, 1);
    await fixture.removeGuardian();
    await fixture.publishContactChange(2);
    await fixture.publishLocationChange(createLocation('31.5'));
    await waitForNotices(owner, 2);
    const returned = await connect(offline);
    await sleep(300);
    expect(versionsOf(client)).toEqual([1]);
    expect(client.messagesOfKind('LocationPointChangeMessage')).toEqual([]);
    expect(returned.messages).toEqual([]);
  });

  test('no node delivers a message to a member who is removed in the transaction that stores the message', async () => {
    const fixture = await createFamily();
    const { familyId, members } = fixture.family;
    const guardians = await Promise.all([node, otherNode].map((at) => connect(anotherSession(fixture.guardian), at)));
    const owner = await connect(fixture.owner);
    const contact = { familyId, cid: fixture.cid, did: fixture.did, refId: 'r1' } as const;
    const change = { ...contact, by: 'user:x', change: 'UPDATED', version: 2 } as const;
    const withoutGuardian = nextVersion(fixture.family, { members: members.slice(0, 1) });
    await environment.publishAll(familyId, [
      { name: 'userctx.contact.changed', key: familyId, payload: change },
      { name: 'userctx.family.changed', key: familyId, payload: withoutGuardian },
    ]);
    await waitForKind(owner, 'ContactsChangeNoticeMessage');
    await sleep(300);
    for (const guardian of guardians) expect(guardian.messagesOfKind('ContactsChangeNoticeMessage')).toEqual([]);
  });

  test('does not restore a removed member when an older snapshot of the family arrives', async () => {
    const fixture = await createFamily();
    const members = fixture.family.members.slice(0, 1);
    await environment.publishFamily({ ...fixture.family, members, version: 3 });
    await environment.publishFamily({ ...fixture.family, version: 2 });
    const client = await connect(fixture.guardian, node, { last: 0 });
    await fixture.publishContactChange(1);
    await sleep(200);
    expect(client.messages).toEqual([]);
  });

  test('delivers the unbind notice, and no message of the family, to an unbound watch', async () => {
    const fixture = await createFamily();
    const before = await connect(fixture.watchPrincipal);
    before.close();
    await fixture.publishContactChange(1);
    await fixture.publish('userctx.watch.unbound', { by: 'user:x', time: environment.clock.now() });
    await fixture.bind(null);
    const [watchClient, owner] = await Promise.all([
      connect(anotherSession(fixture.watchPrincipal)),
      connect(fixture.owner, node, { last: 0 }),
    ]);
    await watchClient.waitFor(() => watchClient.durable.length > 0, 'the notice');
    await waitForKind(owner, 'DeviceBindStateChangeNoticeMessage');
    const start = headOf(before);
    expect(watchClient.durable.map(({ kind, seq }) => ({ kind, seq }))).toEqual([
      { kind: 'DeviceBindStateChangeNoticeMessage', seq: start + 2 },
    ]);
    expect(watchClient.durable[0]?.payload).toEqual({
      did: fixture.did,
      cid: fixture.cid,
      state: 'UNBOUND',
      by: 'user:x',
    });
    expect(watchClient.frames[0]).toMatchObject({ after: start, through: headOf(watchClient) });
    expect(owner.messagesOfKind('DeviceBindStateChangeNoticeMessage')).toHaveLength(1);
    const report = await watchClient.send('LocationPointChangeMessage', { points: [createLocation('1.0')] });
    expect(report).toMatchObject({ ok: false, reason: 'WATCH_UNBOUND' });
  });

  test.each(['this node', 'another node'])(
    'events and requests of a watch that arrive at %s before the event of its binding wait for it',
    async (where) => {
      const at = where === 'this node' ? node : otherNode;
      const watchPrincipal = watch();
      const client = await connect(watchPrincipal, at);
      // The time of the service stops, so that the requests wait for as long as the test takes.
      const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
      const text = { kind: 'ChatTextMessage', clientMsgId: 'a', conversationId: 'x', text: 'x' };
      const key = { 'idempotency-key': randomUUID() };
      const caller = callerOf(watchPrincipal, at);
      const pending = [
        client.send('WristwatchStartupNoticeMessage', { cause: 'USER' }),
        caller.get('conversation/list'),
        caller.get('video-call/log'),
        caller.post('send', text, key),
      ] as const;
      let hasResponse = false;
      for (const request of pending) void request.then(() => (hasResponse = true));
      const familyEvents = serviceOf(FamilyEventMonitor, at);
      const countWaiters = () => familyEvents.countWaiters(principalKey(watchPrincipal));
      await waitUntil('the requests to wait', () => countWaiters() === pending.length || hasResponse);
      await environment.publishFamily(familyOf(user(), [], watchPrincipal));
      const [reported, conversations, calls, sent] = await Promise.all(pending);
      clock.mockRestore();
      expect(reported).toMatchObject({ ok: true });
      expect([conversations.status, calls.status]).toEqual([200, 200]);
      expect(sent.body).toMatchObject({ reason: 'CONVERSATION_NOT_FOUND' });
    },
  );

  test('accepts events from a watch that is bound while it is connected', async () => {
    const [owner, watchPrincipal] = [user(), watch()];
    const client = await connect(watchPrincipal, otherNode);
    const family = familyOf(owner, [], watchPrincipal);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: false });
    await environment.publishFamily(family);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: true });
  });

  test('retries a notice until the snapshot of its family has been received', async () => {
    const fixture = new FamilyFixture(environment);
    const client = await connect(fixture.owner);
    await fixture.publishContactChange(1);
    await environment.publishFamily(fixture.family);
    await waitForNotices(client, 1);
  });
});
