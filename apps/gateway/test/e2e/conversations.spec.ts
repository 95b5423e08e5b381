import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { conversationsOf } from '../support/conversations.js';
import { anotherSession, nextVersion, watch } from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';
import {
  callerOf,
  connect,
  createFamily,
  environment,
  node,
  otherNode,
  useSharedGateway,
} from '../support/suite-gateway.js';

useSharedGateway();

const restCallerOf = (principal: Principal) => callerOf(principal, otherNode);

function sendText(client: TestClient, conversationId: string, text: string) {
  return client.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text });
}

const conversationChangesOf = (client: TestClient) =>
  client.messagesOfKind('ConversationChangeNoticeMessage').map(({ payload }) => payload as { change: string });
const textsOf = (client: TestClient) =>
  client.messagesOfKind('ChatTextMessage').map(({ payload }) => (payload as { text: string }).text);

async function conversationsListedFor(principal: Principal): Promise<{ conversationId: string; type: string }[]> {
  const { body } = await restCallerOf(principal).get('conversation/list');
  return body['items'] as { conversationId: string; type: string }[];
}

function withMember(family: FamilySnapshot, userId: string, change: Partial<MemberSnapshot>): FamilySnapshot {
  const members = family.members.map((each) => (each.userId === userId ? { ...each, ...change } : each));
  return nextVersion(family, { members });
}

describe('conversation membership', () => {
  test('depends on the CHAT permission for the child, and in the family group on access to the children', async () => {
    const fixture = new FamilyFixture(environment);
    const roles = withMember(fixture.family, fixture.guardian.id, { role: 4, permissions: ['CHAT'] });
    await environment.publishFamily(roles);
    expect((await conversationsListedFor(fixture.owner)).map(({ type }) => type).toSorted()).toEqual([
      'DIRECT',
      'FAMILY',
    ]);
    expect((await conversationsListedFor(fixture.guardian)).map(({ type }) => type)).toEqual(['DIRECT']);
    expect((await conversationsListedFor(fixture.watchPrincipal)).map(({ type }) => type).toSorted()).toEqual([
      'DIRECT',
      'DIRECT',
      'FAMILY',
    ]);
    const caregiverFamily = withMember(roles, fixture.guardian.id, { role: 3, permissions: ['LOCATION'] });
    await environment.publishFamily(caregiverFamily);
    expect(await conversationsListedFor(fixture.guardian)).toEqual([]);
    await environment.publishFamily(withMember(caregiverFamily, fixture.guardian.id, { permissions: ['CHAT'] }));
    expect((await conversationsListedFor(fixture.guardian)).map(({ type }) => type).toSorted()).toEqual([
      'DIRECT',
      'FAMILY',
    ]);
  });

  test('does not change when an older snapshot or a repeated event arrives', async () => {
    const fixture = await createFamily();
    const before = await conversationsListedFor(fixture.guardian);
    const newer = nextVersion(fixture.family, {});
    await environment.publishFamily(newer);
    await environment.publishFamily({ ...fixture.family, members: fixture.family.members.slice(0, 1) });
    await environment.publishFamily({ ...newer, members: fixture.family.members.slice(0, 1) });
    expect(await conversationsListedFor(fixture.guardian)).toEqual(before);
  });

  test('ends when the CHAT permission is removed and resumes when the permission is granted again', async () => {
    const fixture = await createFamily();
    const { direct } = await conversationsOf(fixture);
    const conversationId = direct(fixture.guardian);
    const [guardian, watchClient] = [await connect(fixture.guardian), await connect(fixture.watchPrincipal, otherNode)];
    await sendText(watchClient, conversationId, 'before');
    const without = withMember(fixture.family, fixture.guardian.id, { permissions: ['LOCATION'] });
    await environment.publishFamily(without);
    await guardian.waitFor(() => conversationChangesOf(guardian).length > 0, 'the notice');
    expect(conversationChangesOf(guardian)).toContainEqual({ conversationId, change: 'CLOSED' });
    await watchClient.waitFor(() => conversationChangesOf(watchClient).length > 0, 'the notice');
    expect(conversationChangesOf(watchClient)).toContainEqual({ conversationId, change: 'CLOSED' });
    for (const client of [guardian, watchClient]) {
      expect(await sendText(client, conversationId, 'x')).toMatchObject({ reason: 'CONVERSATION_NOT_FOUND' });
    }
    expect((await restCallerOf(fixture.guardian).get('history/get', { conversationId })).status).toBe(404);
    await environment.publishFamily(withMember(without, fixture.guardian.id, { permissions: ['CHAT'] }));
    expect(await sendText(guardian, conversationId, 'again')).toMatchObject({ ok: true, conversationSeq: 2 });
    expect(conversationChangesOf(guardian)).toContainEqual({ conversationId, change: 'CREATED' });
    const { body } = await restCallerOf(fixture.guardian).get('history/get', { conversationId });
    expect(body['items']).toHaveLength(2);
  });

  test('gives a new member of the family group access only to messages sent after joining', async () => {
    const fixture = await createFamily();
    const { group } = await conversationsOf(fixture);
    const [owner, watchClient] = [await connect(fixture.owner), await connect(fixture.watchPrincipal, otherNode)];
    await sendText(owner, group, 'one');
    const members = fixture.family.members.filter(({ userId }) => userId !== fixture.guardian.id);
    const without = nextVersion(fixture.family, { members });
    await environment.publishFamily(without);
    await sendText(owner, group, 'two');
    await environment.publishFamily(nextVersion(without, { members: fixture.family.members }));
    const guardian = await connect(fixture.guardian, otherNode);
    await sendText(owner, group, 'three');
    await guardian.waitFor(() => textsOf(guardian).length > 0, 'the text');
    expect(textsOf(guardian)).toEqual(['three']);
    const { body } = await restCallerOf(fixture.guardian).get('history/get', { conversationId: group });
    expect(body['items']).toMatchObject([{ payload: { text: 'three' } }]);
    const [item] = (await conversationsListedFor(fixture.guardian)).filter(({ type }) => type === 'FAMILY');
    expect(item).toMatchObject({ unread: 1 });
    await watchClient.waitFor(() => textsOf(watchClient).length === 3, 'all');
    expect(conversationChangesOf(watchClient).filter(({ change }) => change === 'MEMBERS_CHANGED')).toHaveLength(2);
  });

  test('passes from the old to the new watch of a child', async () => {
    const fixture = await createFamily();
    const { direct } = await conversationsOf(fixture);
    const conversationId = direct(fixture.owner);
    const [owner, oldWatchClient] = [await connect(fixture.owner), await connect(fixture.watchPrincipal, otherNode)];
    await sendText(oldWatchClient, conversationId, 'from the old watch');
    const newWatch = watch();
    await environment.publishFamily(
      nextVersion(fixture.family, { children: [{ cid: fixture.cid, did: Number(newWatch.id) }] }),
    );
    expect(await sendText(oldWatchClient, conversationId, 'x')).toMatchObject({ reason: 'WATCH_UNBOUND' });
    expect(
      await restCallerOf(fixture.watchPrincipal).post('send', {
        kind: 'ChatTextMessage',
        clientMsgId: 'a',
        conversationId,
        text: 'x',
      }),
    ).toMatchObject({ status: 403, body: { reason: 'WATCH_UNBOUND' } });
    const watchClient = await connect(newWatch, otherNode);
    expect(await sendText(owner, conversationId, 'hello')).toMatchObject({ conversationSeq: 2 });
    await watchClient.waitFor(() => textsOf(watchClient).length > 0, 'the text');
    expect(textsOf(oldWatchClient)).toEqual([]);
    const { body } = await restCallerOf(newWatch).get('history/get', { conversationId });
    expect(body['items']).toHaveLength(2);
  });
});

describe('conversations of friends', () => {
  async function createFriendship() {
    const families = [await createFamily(), await createFamily()] as const;
    const friendshipId = randomUUID();
    const change = (version: number, active: boolean) => {
      const sides = families.map(({ family, cid, did }) => ({ familyId: family.familyId, cid, did }));
      const payload = { friendshipId, version, active, time: environment.clock.now(), sides: sides as [never, never] };
      return environment.publish({ name: 'userctx.friendship.changed', key: families[0].family.familyId, payload });
    };
    await change(1, true);
    return { families, change };
  }

  test('deliver messages with the ids of the child and watch that receive them, until the friendship ends', async () => {
    const { families, change } = await createFriendship();
    const [first, second] = families;
    const id =
      (await conversationsListedFor(first.watchPrincipal)).find(({ type }) => type === 'FRIENDS')?.conversationId ?? '';
    const clients = [await connect(first.watchPrincipal), await connect(second.watchPrincipal, otherNode)] as const;
    expect(await sendText(clients[0], id, 'hello')).toMatchObject({ ok: true, conversationSeq: 1 });
    expect(await sendText(clients[1], id, 'hi')).toMatchObject({ ok: true, conversationSeq: 2 });
    await clients[1].waitFor(() => textsOf(clients[1]).length > 0, 'hello');
    await clients[0].waitFor(() => textsOf(clients[0]).length > 0, 'hi');
    expect(clients[1].messagesOfKind('ChatTextMessage')).toMatchObject([
      { from: { type: 'watch', id: first.watchPrincipal.id }, cid: second.cid, did: second.did },
    ]);
    const owner = await connect(first.owner);
    expect(await sendText(owner, id, 'x')).toMatchObject({ reason: 'CONVERSATION_NOT_FOUND' });
    await change(2, false);
    await change(1, true);
    expect(await sendText(clients[0], id, 'x')).toMatchObject({ reason: 'CONVERSATION_NOT_FOUND' });
    await change(3, true);
    expect(await sendText(clients[0], id, 'again')).toMatchObject({ ok: true, conversationSeq: 3 });
  });

  test('continue with a new watch and deliver nothing to an unbound watch', async () => {
    const { families } = await createFriendship();
    const [first, second] = families;
    const id =
      (await conversationsListedFor(first.watchPrincipal)).find(({ type }) => type === 'FRIENDS')?.conversationId ?? '';
    const [sender, oldWatchClient] = [await connect(first.watchPrincipal), await connect(second.watchPrincipal)];
    const newWatch = watch();
    const children = [{ cid: second.cid, did: Number(newWatch.id) }];
    await environment.publishFamily(nextVersion(second.family, { children }));
    const watchClient = await connect(newWatch, otherNode);
    await sendText(sender, id, 'hello');
    await watchClient.waitFor(() => textsOf(watchClient).length > 0, 'hello');
    await sleep(100);
    expect(textsOf(oldWatchClient)).toEqual([]);
    expect(await sendText(watchClient, id, 'hi')).toMatchObject({ ok: true });
  });
});

test('a message is the same when it is delivered at once and when it is read from the mailbox later', async () => {
  const [fixture, friend] = [await createFamily(), await createFamily()];
  const sides = [fixture, friend].map(({ family, cid, did }) => ({ familyId: family.familyId, cid, did }));
  const friendship = { friendshipId: randomUUID(), version: 1, active: true, time: environment.clock.now(), sides };
  const { familyId } = fixture.family;
  await environment.publish({ name: 'userctx.friendship.changed', key: familyId, payload: friendship as never });
  const { direct, group } = await conversationsOf(fixture);
  const friends = (await conversationsListedFor(friend.watchPrincipal)).find(({ type }) => type === 'FRIENDS');
  const { owner, guardian, watchPrincipal } = fixture;
  const recipients = [owner, anotherSession(owner), guardian, watchPrincipal, friend.watchPrincipal];
  const live: TestClient[] = [];
  for (const principal of recipients) live.push(await connect(principal));
  const [ownerClient, , guardianClient, watchClient, friendClient] = live as [
    TestClient,
    TestClient,
    TestClient,
    TestClient,
    TestClient,
  ];
  for (const [client, conversationId] of [
    [ownerClient, direct(owner)],
    [watchClient, direct(owner)],
    [ownerClient, group],
    [guardianClient, group],
    [watchClient, group],
    [watchClient, friends?.conversationId ?? ''],
    [friendClient, friends?.conversationId ?? ''],
  ] as const)
    expect(await sendText(client, conversationId, 'the same')).toMatchObject({ ok: true });
  const received = [3, 5, 2, 4, 1].map((count, index) => [live[index] as TestClient, count] as const);
  for (const [client, count] of received)
    await client.waitFor(() => client.messagesOfKind('ChatTextMessage').length >= count, `${count} messages`);
  for (const [index, principal] of recipients.entries()) {
    const replayed = await connect(principal, otherNode, { last: 0 });
    const expected = live[index]?.messagesOfKind('ChatTextMessage') ?? [];
    await replayed.waitFor(() => replayed.messagesOfKind('ChatTextMessage').length >= expected.length, 'the messages');
    expect(replayed.messagesOfKind('ChatTextMessage')).toEqual(expected);
    replayed.close();
  }
});

describe('sending a message', () => {
  test('rejects and does not store a text that is too long or empty, or an unknown emoji', async () => {
    const fixture = await createFamily();
    const { group: conversationId } = await conversationsOf(fixture);
    const phone = await connect(fixture.owner);
    const common = { clientMsgId: 'x', conversationId };
    const invalidPayloads: [string, object][] = [
      ['ChatTextMessage', { ...common, text: 'x'.repeat(2_001) }],
      ['ChatTextMessage', { ...common, text: '' }],
      ['ChatTextMessage', { ...common, text: '\u0000' }],
      ['ChatTextMessage', { ...common, clientMsgId: 'x'.repeat(65), text: 'x' }],
      ['ChatEmojiMessage', { ...common, emoji: 'UNICORN' }],
      ['ChatEmojiMessage', { ...common, emoji: 'toString' }],
    ];
    for (const [event, payload] of invalidPayloads) {
      expect(await phone.send(event, payload)).toMatchObject({ ok: false, reason: 'VALIDATION_FAILED' });
      const response = await restCallerOf(fixture.owner).post('send', { kind: event, ...payload });
      expect(response).toMatchObject({ status: 400, body: { reason: 'VALIDATION_FAILED' } });
    }
    expect((await restCallerOf(fixture.owner).get('history/get', { conversationId })).body['items']).toEqual([]);
    expect(await phone.send('ChatTextMessage', { ...common, text: 'x'.repeat(2_000) })).toMatchObject({ ok: true });
    expect(await phone.send('ChatEmojiMessage', { ...common, clientMsgId: 'y', emoji: 'CAKE' })).toMatchObject({
      ok: true,
    });
  });

  test('returns the same result by REST as by socket, and the stored result for a repeated Idempotency-Key', async () => {
    const fixture = await createFamily();
    const { group: conversationId } = await conversationsOf(fixture);
    const watchClient = await connect(fixture.watchPrincipal);
    const body = { kind: 'ChatTextMessage', clientMsgId: 'r', conversationId, text: 'by request' };
    const key = { 'idempotency-key': randomUUID() };
    const first = await restCallerOf(fixture.owner).post('send', body, key);
    expect(first).toMatchObject({ status: 200, body: { conversationSeq: 1, id: expect.any(String) } });
    expect((await restCallerOf(fixture.owner).post('send', body, key)).body).toEqual(first.body);
    expect(await restCallerOf(fixture.owner).post('send', body)).toMatchObject({ body: { id: first.body['id'] } });
    await watchClient.waitFor(() => textsOf(watchClient).length > 0, 'the text');
    await sleep(100);
    expect(textsOf(watchClient)).toEqual(['by request']);
  });
});

describe('A24 erasure of a child', () => {
  test('deletes all messages that the child sent or that were sent only to the child', async () => {
    const fixture = await createFamily();
    const { direct, group } = await conversationsOf(fixture);
    const [owner, watchClient] = [await connect(fixture.owner), await connect(fixture.watchPrincipal, otherNode)];
    for (const [client, id] of [
      [owner, direct(fixture.owner)],
      [watchClient, direct(fixture.owner)],
      [watchClient, group],
    ] as const) {
      expect(await sendText(client, id, 'planted-marker')).toMatchObject({ ok: true });
    }
    await sendText(owner, group, 'stays');
    await environment.publishFamily(nextVersion(fixture.family, { children: [] }));
    const { familyId } = fixture.family;
    await environment.publish({ name: 'userctx.child.erased', key: familyId, payload: { familyId, cid: fixture.cid } });
    for (const table of ['chat_message', 'mailbox_entry', 'mailbox_message']) {
      const rows = await node.unitOfWork.executor.query<{ payload: unknown }>(
        `SELECT payload FROM gateway.${table} WHERE payload::text LIKE '%planted-marker%'`,
      );
      expect([table, rows]).toEqual([table, []]);
    }
    const remaining = await node.unitOfWork.executor.query(
      'SELECT FROM gateway.conversation_member WHERE cid = $1 OR member = $2',
      [fixture.cid, `child:${fixture.cid}`],
    );
    expect(remaining).toEqual([]);
    const { body } = await restCallerOf(fixture.owner).get('history/get', { conversationId: group });
    expect(body['items']).toMatchObject([{ payload: { text: 'stays' } }]);
  });
});
