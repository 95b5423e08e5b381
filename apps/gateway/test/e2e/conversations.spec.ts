import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitForKind } from '../support/family-fixture.js';
import {
  conversationsOf,
  createFriends,
  listConversations,
  sendAcceptedText,
  sendText,
  textsOf,
} from '../support/conversations.js';
import { anotherSession, watch } from '../support/gateway-test-environment.js';
import { callerOf, connect, createFamily } from '../support/clients.js';
import { environment, otherNode, query, useSharedGateway } from '../support/suite-gateway.js';

useSharedGateway();

const conversationChangesOf = (client: TestClient) =>
  client.messagesOfKind('ConversationChangeNoticeMessage').map(({ payload }) => payload as { change: string });
describe('conversation membership', () => {
  test('does not change when an older snapshot or a repeated event arrives', async () => {
    const fixture = await createFamily();
    const before = await listConversations(fixture.guardian);
    const older = fixture.family;
    await fixture.change({});
    for (const snapshot of [older, fixture.family])
      await environment.publishFamily({ ...snapshot, members: older.members.slice(0, 1) });
    expect(await listConversations(fixture.guardian)).toEqual(before);
  });

  test('ends when the CHAT permission is removed and resumes when the permission is granted again', async () => {
    const fixture = await createFamily();
    const { direct } = await conversationsOf(fixture);
    const conversationId = direct(fixture.guardian);
    const [guardian, watchClient] = [await connect(fixture.guardian), await connect(fixture.watchPrincipal, otherNode)];
    await sendText(watchClient, conversationId, 'before');
    await fixture.changeGuardian({ permissions: ['LOCATION'] });
    for (const client of [guardian, watchClient]) {
      await client.waitFor(() => conversationChangesOf(client).length > 0, 'the notice');
      expect(conversationChangesOf(client)).toContainEqual({ conversationId, change: 'CLOSED' });
      expect(await sendText(client, conversationId, 'x')).toMatchObject({ reason: 'CONVERSATION_NOT_FOUND' });
    }
    expect((await callerOf(fixture.guardian).get('history/get', { conversationId })).status).toBe(404);
    await fixture.changeGuardian({ permissions: ['CHAT'] });
    expect(await sendText(guardian, conversationId, 'again')).toMatchObject({ ok: true, conversationSeq: 2 });
    expect(conversationChangesOf(guardian)).toContainEqual({ conversationId, change: 'CREATED' });
    const { body } = await callerOf(fixture.guardian).get('history/get', { conversationId });
    expect(body['items']).toHaveLength(2);
  });

  test('gives a new member of the family group access only to messages sent after joining', async () => {
    const fixture = await createFamily();
    const { group } = await conversationsOf(fixture);
    const [owner, watchClient] = [await connect(fixture.owner), await connect(fixture.watchPrincipal, otherNode)];
    await sendText(owner, group, 'one');
    const { members } = fixture.family;
    await fixture.removeGuardian();
    await sendText(owner, group, 'two');
    await fixture.change({ members });
    const guardian = await connect(fixture.guardian, otherNode);
    await sendText(owner, group, 'three');
    await guardian.waitFor(() => textsOf(guardian).length > 0, 'the text');
    expect(textsOf(guardian)).toEqual(['three']);
    const { body } = await callerOf(fixture.guardian).get('history/get', { conversationId: group });
    expect(body['items']).toMatchObject([{ payload: { text: 'three' } }]);
    expect(await listConversations(fixture.guardian)).toContainEqual(
      expect.objectContaining({ type: 'FAMILY', unread: 1 }),
    );
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
    await fixture.bind(newWatch);
    expect(await sendText(oldWatchClient, conversationId, 'x')).toMatchObject({ reason: 'WATCH_UNBOUND' });
    const text = { kind: 'ChatTextMessage', clientMsgId: 'a', conversationId, text: 'x' };
    const refused = { status: 403, body: { reason: 'WATCH_UNBOUND' } };
    expect(await callerOf(fixture.watchPrincipal).post('send', text)).toMatchObject(refused);
    const watchClient = await connect(newWatch, otherNode);
    expect(await sendText(owner, conversationId, 'hello')).toMatchObject({ conversationSeq: 2 });
    await watchClient.waitFor(() => textsOf(watchClient).length > 0, 'the text');
    expect(textsOf(oldWatchClient)).toEqual([]);
    const { body } = await callerOf(newWatch).get('history/get', { conversationId });
    expect(body['items']).toHaveLength(2);
  });
});

describe('conversations of friends', () => {
  test('deliver messages with the ids of the child and watch that receive them, until the friendship ends', async () => {
    const { first, second, conversationId: id, change } = await createFriends();
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
    const { first, second, conversationId: id } = await createFriends();
    const [sender, oldWatchClient] = [await connect(first.watchPrincipal), await connect(second.watchPrincipal)];
    const newWatch = watch();
    await second.bind(newWatch);
    const watchClient = await connect(newWatch, otherNode);
    await sendText(sender, id, 'hello');
    await watchClient.waitFor(() => textsOf(watchClient).length > 0, 'hello');
    await sleep(100);
    expect(textsOf(oldWatchClient)).toEqual([]);
    expect(await sendText(watchClient, id, 'hi')).toMatchObject({ ok: true });
  });
});

test('a message is the same when it is delivered at once and when it is read from the mailbox later', async () => {
  const { first, second, conversationId: friends } = await createFriends();
  const { direct, group } = await conversationsOf(first);
  const { owner, guardian, watchPrincipal } = first;
  const recipients = [owner, anotherSession(owner), guardian, watchPrincipal, second.watchPrincipal];
  const live: TestClient[] = [];
  for (const principal of recipients) live.push(await connect(principal));
  const messagesByConversation = [
    [direct(owner), [0, 3]],
    [group, [0, 2, 3]],
    [friends, [3, 4]],
  ] as const;
  for (const [conversationId, senders] of messagesByConversation)
    for (const sender of senders) await sendAcceptedText(live[sender] as TestClient, conversationId, 'the same');
  for (const [index, count] of [3, 5, 2, 4, 1].entries()) {
    const expected = await waitForKind(live[index] as TestClient, 'ChatTextMessage', count);
    const replayed = await connect(recipients[index] as Principal, otherNode, { last: 0 });
    expect(await waitForKind(replayed, 'ChatTextMessage', count)).toEqual(expected);
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
      const response = await callerOf(fixture.owner).post('send', { kind: event, ...payload });
      expect(response).toMatchObject({ status: 400, body: { reason: 'VALIDATION_FAILED' } });
    }
    expect((await callerOf(fixture.owner).get('history/get', { conversationId })).body['items']).toEqual([]);
    expect(await phone.send('ChatTextMessage', { ...common, text: 'x'.repeat(2_000) })).toMatchObject({ ok: true });
    const emoji = { ...common, clientMsgId: 'y', emoji: 'CAKE' };
    expect(await phone.send('ChatEmojiMessage', emoji)).toMatchObject({ ok: true });
  });

  test('returns the same result by REST as by socket, and the stored result for a repeated Idempotency-Key', async () => {
    const fixture = await createFamily();
    const { group: conversationId } = await conversationsOf(fixture);
    const watchClient = await connect(fixture.watchPrincipal);
    const body = { kind: 'ChatTextMessage', clientMsgId: 'r', conversationId, text: 'by request' };
    const key = { 'idempotency-key': randomUUID() };
    const first = await callerOf(fixture.owner).post('send', body, key);
    expect(first).toMatchObject({ status: 200, body: { conversationSeq: 1, id: expect.any(String) } });
    expect((await callerOf(fixture.owner).post('send', body, key)).body).toEqual(first.body);
    expect((await callerOf(fixture.owner).post('send', body)).body).toEqual(first.body);
    const other = await callerOf(fixture.owner).post('send', { ...body, text: 'another' });
    expect(other).toMatchObject({ status: 409, body: { reason: 'CLIENT_MSG_ID_REUSED' } });
    const { body: history } = await callerOf(fixture.owner).get('history/get', { conversationId });
    expect(history['items']).toMatchObject([{ id: first.body['id'], time: first.body['time'] }]);
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
    await fixture.change({ children: [] });
    await fixture.publish('userctx.child.erased', {});
    for (const table of ['chat_message', 'mailbox_entry']) {
      const rows = await query<{ payload: unknown }>(
        `SELECT payload FROM gateway.${table} WHERE payload::text LIKE '%planted-marker%'`,
      );
      expect([table, rows]).toEqual([table, []]);
    }
    const remaining = await query('SELECT FROM gateway.conversation_member WHERE cid = $1 OR member = $2', [
      fixture.cid,
      `child:${fixture.cid}`,
    ]);
    expect(remaining).toEqual([]);
    const { body } = await callerOf(fixture.owner).get('history/get', { conversationId: group });
    expect(body['items']).toMatchObject([{ payload: { text: 'stays' } }]);
  });
});
