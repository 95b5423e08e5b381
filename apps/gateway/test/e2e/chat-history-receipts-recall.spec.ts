import { randomUUID } from 'node:crypto';
import { describe, expect, jest, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { ChatHistoryService } from '../../src/conversations/chat/chat-history.service.js';
import { ReceiptRepository } from '../../src/conversations/receipts/receipt.repository.js';
import { ReceiptsService } from '../../src/conversations/receipts/receipts.service.js';
import { conversationsOf, listConversations, sendAcceptedText } from '../support/conversations.js';
import { anotherSession } from '../support/gateway-test-environment.js';
import { waitForKind } from '../support/family-fixture.js';
import { callerOf, connect, createFamily } from '../support/clients.js';
import { environment, otherNode, query, serviceOf, startGateway } from '../support/suite-gateway.js';

// This environment is not shared, because a test starts another node.
startGateway();

const receiptsOf = (client: TestClient) => client.messagesOfKind('AckMessage').map(({ payload }) => payload);

async function acknowledgeAll(client: TestClient): Promise<void> {
  const seq = client.durable.at(-1)?.seq;
  expect(await client.send('AckMessage', { seq })).toMatchObject({ ok: true });
}

describe('receipts', () => {
  test('notify the sender that a message and all earlier messages were delivered or read', async () => {
    const fixture = await createFamily();
    const { direct } = await conversationsOf(fixture);
    const conversationId = direct(fixture.owner);
    const [phone, tablet, watchClient] = await Promise.all([
      connect(fixture.owner),
      connect(anotherSession(fixture.owner), otherNode),
      connect(fixture.watchPrincipal, otherNode),
    ]);
    const first = await sendAcceptedText(phone, conversationId, 'one');
    const second = await sendAcceptedText(phone, conversationId, 'two');
    await waitForKind(watchClient, 'ChatTextMessage', 2);
    await acknowledgeAll(watchClient);
    const by = `watch:${fixture.watchPrincipal.id}`;
    const delivered = { conversationId, messageId: second.id, conversationSeq: 2, status: 'DELIVERED', by };
    for (const client of [phone, tablet]) {
      await client.waitFor(() => receiptsOf(client).length > 0, 'a receipt');
      expect(receiptsOf(client)).toEqual([delivered]);
    }
    expect(await watchClient.send('AckMessage', { messageId: first.id, status: 'READ' })).toMatchObject({ ok: true });
    await phone.waitFor(() => receiptsOf(phone).length > 1, 'a second receipt');
    const read = { ...delivered, messageId: first.id, conversationSeq: 1, status: 'READ' };
    expect(receiptsOf(phone)).toEqual([delivered, read]);
    // Marking an earlier message as read does not move the read mark back.
    for (const { id: messageId } of [second, first]) {
      const mark = await callerOf(fixture.watchPrincipal).post('read/mark', { conversationId, messageId });
      expect(mark.status).toBe(200);
    }
    const { items } = (await callerOf(fixture.watchPrincipal).get('conversation/list')).body;
    expect(items).toContainEqual(expect.objectContaining({ conversationId, readSeq: 2, unread: 0 }));
    // A receipt of the earlier message would arrive before the next message of the watch.
    await sendAcceptedText(watchClient, conversationId, 'three');
    await waitForKind(phone, 'ChatTextMessage');
    expect(receiptsOf(phone)).toEqual([delivered, read, { ...read, messageId: second.id, conversationSeq: 2 }]);
    expect(receiptsOf(watchClient)).toEqual([]);
  });

  test("notify the reader's other sessions, but not the session that marked the message as read", async () => {
    const fixture = await createFamily();
    const { group } = await conversationsOf(fixture);
    const [phone, tablet, watchClient] = await Promise.all([
      connect(fixture.owner),
      connect(anotherSession(fixture.owner), otherNode),
      connect(fixture.watchPrincipal, otherNode),
    ]);
    const sent = await sendAcceptedText(watchClient, group, 'hello all');
    await waitForKind(phone, 'ChatTextMessage');
    expect(await phone.send('AckMessage', { messageId: sent.id, status: 'READ' })).toMatchObject({ ok: true });
    await tablet.waitFor(() => receiptsOf(tablet).length > 0, 'the mark');
    const read = { conversationId: group, messageId: sent.id, conversationSeq: 1, status: 'READ' };
    expect(receiptsOf(tablet)).toEqual([{ ...read, by: `user:${fixture.owner.id}` }]);
    await watchClient.waitFor(() => receiptsOf(watchClient).length > 0, 'the receipt');
    expect(receiptsOf(phone)).toEqual([]);
    expect(await phone.send('AckMessage', { messageId: randomUUID(), status: 'READ' })).toMatchObject({
      reason: 'MESSAGE_NOT_FOUND',
    });
  });

  /**
   * Sends a text to a watch.
   * @returns the sender's client, the recipient, and a function that stores the acknowledgement of the watch, like a node
   * that stops before it sends the receipt
   */
  async function sendTextToWatch() {
    const fixture = await createFamily();
    const { direct } = await conversationsOf(fixture);
    const [phone, watchClient] = [await connect(fixture.owner), await connect(fixture.watchPrincipal)];
    await sendAcceptedText(phone, direct(fixture.owner), 'one');
    await waitForKind(watchClient, 'ChatTextMessage');
    const principal = `watch:${fixture.watchPrincipal.id}`;
    const storeAcknowledgement = (seenAt: number) =>
      query('UPDATE gateway.session_cursor SET acknowledged = $2, seen_at = $3 WHERE principal = $1', [
        principal,
        watchClient.durable.at(-1)?.seq,
        seenAt,
      ]);
    return { phone, principal, storeAcknowledgement };
  }

  test('of a stopped node are sent by the next node that starts', async () => {
    const { phone, storeAcknowledgement } = await sendTextToWatch();
    await storeAcknowledgement(environment.clock.now());
    await environment.addNode();
    await phone.waitFor(() => receiptsOf(phone).length > 0, 'the receipt');
  });

  test('of a stopped node are searched among the sessions seen since the previous search', async () => {
    const { phone, principal, storeAcknowledgement } = await sendTextToWatch();
    const service = serviceOf(ReceiptsService);
    const searches = jest.spyOn(serviceOf(ReceiptRepository), 'findPending');
    const now = environment.clock.now();
    await service.findPending(now);
    const search = async () => {
      await service.findPending(now);
      const found = await searches.mock.results.at(-1)?.value;
      return (found as { principal: string }[]).some((ack) => ack.principal === principal);
    };
    try {
      await storeAcknowledgement(now - 3_600_000);
      expect(await search()).toBe(false);
      await storeAcknowledgement(now - 60_000);
      expect(await search()).toBe(true);
    } finally {
      searches.mockRestore();
    }
    await phone.waitFor(() => receiptsOf(phone).length > 0, 'the receipt');
  });
});

describe('recall', () => {
  test('removes the message from history, unread counts and mailboxes, and notifies its recipients', async () => {
    const fixture = await createFamily();
    const { group: conversationId } = await conversationsOf(fixture);
    const [phone, tablet, watchClient] = await Promise.all([
      connect(fixture.owner),
      connect(anotherSession(fixture.owner), otherNode),
      connect(fixture.watchPrincipal, otherNode),
    ]);
    const offline = fixture.guardian;
    (await connect(offline)).close();
    const otherMessage = await sendAcceptedText(phone, conversationId, 'kept');
    const recalledMessage = await sendAcceptedText(phone, conversationId, 'a secret');
    await waitForKind(watchClient, 'ChatTextMessage', 2);
    const recall = { messageId: recalledMessage.id };
    expect(await callerOf(fixture.guardian).post('recall', recall)).toMatchObject({
      body: { reason: 'MESSAGE_NOT_FOUND' },
    });
    expect(await callerOf(fixture.owner).post('recall', recall)).toMatchObject({ status: 200, body: {} });
    expect(await callerOf(fixture.owner, otherNode).post('recall', recall)).toMatchObject({ status: 200 });
    const notice = { conversationId, change: 'MESSAGE_RECALLED', messageId: recalledMessage.id };
    const noticesOf = (client: TestClient) =>
      client
        .messagesOfKind('ConversationChangeNoticeMessage')
        .map(({ payload }) => payload)
        .filter((payload) => (payload as { change: string }).change === 'MESSAGE_RECALLED');
    for (const client of [tablet, watchClient]) {
      await client.waitFor(() => noticesOf(client).length > 0, 'the notice');
      expect(noticesOf(client)).toEqual([notice]);
    }
    expect(noticesOf(phone)).toEqual([]);
    const returned = await connect(offline);
    await returned.waitFor(() => noticesOf(returned).length > 0, 'the notice');
    expect(returned.messagesOfKind('ChatTextMessage').map(({ id }) => id)).toEqual([otherMessage.id]);
    const history = await callerOf(offline).get('history/get', { conversationId });
    expect(history.body['items']).toMatchObject([
      { id: recalledMessage.id, conversationSeq: 2, payload: null },
      { id: otherMessage.id, payload: { text: 'kept' } },
    ]);
    expect(history.text).not.toContain('secret');
    const listedGroup = (await listConversations(offline)).find(({ type }) => type === 'FAMILY');
    expect(listedGroup).toMatchObject({ unread: 1, lastMessage: { id: recalledMessage.id, payload: null } });
  });

  test('is rejected after two minutes', async () => {
    const fixture = await createFamily();
    const { group } = await conversationsOf(fixture);
    const { id } = await sendAcceptedText(await connect(fixture.owner), group, 'too late');
    await query('UPDATE gateway.chat_message SET time = time - 120001 WHERE id = $1', [id]);
    const response = await callerOf(fixture.owner).post('recall', { messageId: id });
    expect(response).toMatchObject({ status: 409, body: { code: 409011, reason: 'RECALL_EXPIRED' } });
    for (const messageId of [randomUUID(), 'nonsense']) {
      expect((await callerOf(fixture.owner).post('recall', { messageId })).text).toBe(
        (await callerOf(fixture.guardian).post('recall', { messageId: id })).text,
      );
    }
  });
});

describe('chat history', () => {
  test('is returned newest first in pages', async () => {
    const fixture = await createFamily();
    const { direct } = await conversationsOf(fixture);
    const conversationId = direct(fixture.owner);
    const phone = await connect(fixture.owner);
    for (const text of ['1', '2', '3', '4', '5']) await sendAcceptedText(phone, conversationId, text);
    const texts = ({ body }: { body: Record<string, unknown> }) =>
      (body['items'] as { payload: { text: string } }[]).map(({ payload }) => payload.text);
    const first = await callerOf(fixture.watchPrincipal).get('history/get', { conversationId, limit: '3' });
    expect(texts(first)).toEqual(['5', '4', '3']);
    const cursor = String(first.body['nextCursor']);
    const second = await callerOf(fixture.watchPrincipal).get('history/get', {
      conversationId,
      limit: '3',
      cursor,
    });
    expect(texts(second)).toEqual(['2', '1']);
    expect(second.body['nextCursor']).toBeNull();
    const invalidCursorResponse = await callerOf(fixture.watchPrincipal).get('history/get', {
      conversationId,
      cursor: 'nonsense',
    });
    expect(invalidCursorResponse).toMatchObject({ status: 400 });
    const foreign = await callerOf(fixture.guardian).get('history/get', { conversationId });
    const unknown = await callerOf(fixture.guardian).get('history/get', { conversationId: randomUUID() });
    expect(foreign).toMatchObject({ status: 404, body: { code: 404014 } });
    expect(foreign.text).toBe(unknown.text);
  });

  test('begins around a message, which an answer names', async () => {
    const fixture = await createFamily();
    const { direct, group } = await conversationsOf(fixture);
    const conversationId = direct(fixture.owner);
    const phone = await connect(fixture.owner);
    const sent = [];
    for (const text of ['1', '2', '3', '4', '5']) sent.push(await sendAcceptedText(phone, conversationId, text));
    const answer = { clientMsgId: randomUUID(), conversationId, text: '6', quoteOf: sent[1]?.id };
    expect(await phone.send('ChatTextMessage', answer)).toMatchObject({ ok: true });
    const historyOf = (parameters: Record<string, string>) =>
      callerOf(fixture.owner).get('history/get', { conversationId, ...parameters });
    const newest = await historyOf({ limit: '1' });
    expect(newest.body['items']).toMatchObject([{ payload: { quoteOf: sent[1]?.id } }]);
    const around = await historyOf({ around: sent[1]?.id ?? '', limit: '3' });
    expect(around.body['items']).toMatchObject([
      { payload: { text: '3' } },
      { payload: { text: '2' } },
      { payload: { text: '1' } },
    ]);
    expect(around.body['nextCursor']).toBeNull();
    const alone = await historyOf({ around: sent[1]?.id ?? '', limit: '1' });
    expect(alone.body['items']).toMatchObject([{ id: sent[1]?.id }]);
    const ofOther = { conversationId: group, around: sent[1]?.id ?? '' };
    for (const parameters of [{ around: randomUUID() }, { around: 'nonsense' }, ofOther])
      expect(await historyOf(parameters)).toMatchObject({ status: 404, body: { reason: 'MESSAGE_NOT_FOUND' } });
  });

  test('is searched by parts of texts, without recalled messages and those before the member joined', async () => {
    const fixture = await createFamily();
    const { group } = await conversationsOf(fixture);
    const phone = await connect(fixture.owner);
    const texts = ['Dinner at 6', '100% dinner', 'dinner_time', 'recalled dinner', 'lunch'];
    const sent = [];
    for (const text of texts) sent.push(await sendAcceptedText(phone, group, text));
    await callerOf(fixture.owner).post('recall', { messageId: sent[3]?.id });
    const search = async (text: string, more: Record<string, string> = {}) => {
      const { body } = await callerOf(fixture.guardian).get('history/search', { conversationId: group, text, ...more });
      const items = body['items'] as { payload: { text: string } }[];
      return { texts: items.map(({ payload }) => payload.text), nextCursor: body['nextCursor'] as string | null };
    };
    const first = await search('dinner', { limit: '2' });
    expect(first.texts).toEqual(['dinner_time', '100% dinner']);
    expect(await search('dinner', { limit: '2', cursor: first.nextCursor ?? '' })).toEqual({
      texts: ['Dinner at 6'],
      nextCursor: null,
    });
    expect((await search('%')).texts).toEqual(['100% dinner']);
    expect((await search('R_T')).texts).toEqual(['dinner_time']);
    await query('UPDATE gateway.conversation_member SET joined_at_seq = 2 WHERE conversation_id = $1 AND member = $2', [
      group,
      `user:${fixture.guardian.id}`,
    ]);
    expect((await search('dinner')).texts).toEqual(['dinner_time']);
    const { direct } = await conversationsOf(fixture);
    const foreign = { conversationId: direct(fixture.owner), text: 'dinner' };
    expect(await callerOf(fixture.guardian).get('history/search', foreign)).toMatchObject({ status: 404 });
  });

  test('is searched in parts, so that a long conversation without the text is no long statement', async () => {
    const fixture = await createFamily();
    const { group } = await conversationsOf(fixture);
    const phone = await connect(fixture.owner);
    const { id } = await sendAcceptedText(phone, group, 'a needle');
    await query(
      `INSERT INTO gateway.chat_message
         (conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload)
       SELECT conversation_id, 1000 + number, gen_random_uuid(), member, sender_type, sender_id, kind, time,
         json_build_object('text', 'hay')
       FROM gateway.chat_message, generate_series(1, 5000) AS number WHERE id = $1`,
      [id],
    );
    const search = (more: object = {}) =>
      callerOf(fixture.owner).get('history/search', { conversationId: group, text: 'needle', ...more });
    const { body: first } = await search();
    expect(first).toMatchObject({ items: [], nextCursor: expect.any(String) });
    expect((await search({ cursor: first['nextCursor'] })).body).toMatchObject({ items: [{ id }], nextCursor: null });
  });

  test('lists conversations with members, delivered and read marks, last message and unread count', async () => {
    const fixture = await createFamily();
    const { direct, group } = await conversationsOf(fixture);
    const conversationId = direct(fixture.owner);
    const phone = await connect(fixture.owner);
    const sent = await sendAcceptedText(phone, conversationId, 'read me');
    await sendAcceptedText(phone, conversationId, 'and me');
    await callerOf(fixture.watchPrincipal).post('read/mark', { conversationId, messageId: sent.id });
    const { body } = await callerOf(fixture.watchPrincipal).get('conversation/list');
    const items = body['items'] as { conversationId: string }[];
    expect(items.map((each) => each.conversationId).toSorted()).toEqual(
      [conversationId, direct(fixture.guardian), group].toSorted(),
    );
    // No userctx is running, from which the gateway would get the names.
    const withoutNames = { name: null, avatar: null };
    expect(items.find((each) => each.conversationId === conversationId)).toEqual({
      conversationId,
      type: 'DIRECT',
      readSeq: 1,
      unread: 1,
      members: [
        { userId: null, cid: fixture.cid, did: fixture.did, deliveredSeq: 1, readSeq: 1, ...withoutNames },
        { userId: fixture.owner.id, cid: null, did: null, deliveredSeq: 0, readSeq: 0, ...withoutNames },
      ],
      lastMessage: {
        id: expect.any(String),
        kind: 'ChatTextMessage',
        conversationSeq: 2,
        time: expect.any(Number),
        from: { type: 'user', id: fixture.owner.id },
        cid: null,
        payload: { text: 'and me', conversationId, clientMsgId: expect.any(String), conversationSeq: 2 },
      },
    });
    const pages = [];
    let cursor: string | undefined;
    do {
      const parameters: Record<string, string> = { limit: '2', ...(cursor && { cursor }) };
      const page = await callerOf(fixture.watchPrincipal).get('conversation/list', parameters);
      pages.push(...(page.body['items'] as object[]));
      cursor = page.body['nextCursor'] as string | undefined;
    } while (cursor);
    expect(pages).toHaveLength(3);
  });

  test('counts unread messages among the newest 100 messages', async () => {
    const fixture = await createFamily();
    const { direct } = await conversationsOf(fixture);
    const conversationId = direct(fixture.owner);
    await query(
      `WITH conversation AS (UPDATE gateway.conversation SET head = 150 WHERE conversation_id = $1)
       INSERT INTO gateway.chat_message
         (conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload)
       SELECT $1::uuid, n, gen_random_uuid(), 'user:' || $2, 'user', $2, 'ChatTextMessage', $3::bigint, '{}'
       FROM generate_series(1, 150) AS n`,
      [conversationId, fixture.owner.id, Date.now()],
    );
    const { body } = await callerOf(fixture.watchPrincipal).get('conversation/list');
    expect(body['items']).toContainEqual(expect.objectContaining({ conversationId, unread: 100 }));
  });
});

describe('A24 retention', () => {
  test('deletes voice messages after 30 days and all messages after 90 days', async () => {
    const fixture = await createFamily();
    const { direct } = await conversationsOf(fixture);
    const phone = await connect(fixture.owner);
    const ids = [];
    for (const text of ['voice', 'text', 'old', 'new'])
      ids.push((await sendAcceptedText(phone, direct(fixture.owner), text)).id);
    const age = (id: string | undefined, days: number, kind: string) =>
      query('UPDATE gateway.chat_message SET time = time - $2::bigint, kind = $3 WHERE id = $1', [
        id,
        days * 86_400_000,
        kind,
      ]);
    await age(ids[0], 31, 'ChatVoiceMessage');
    await age(ids[1], 31, 'ChatTextMessage');
    await age(ids[2], 91, 'ChatTextMessage');
    await serviceOf(ChatHistoryService).deleteExpired(environment.clock.now());
    const { body } = await callerOf(fixture.owner).get('history/get', { conversationId: direct(fixture.owner) });
    expect((body['items'] as { id: string }[]).map(({ id }) => id)).toEqual([ids[3], ids[1]]);
  });
});
