import { describe, expect, jest, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { SuccessResponse } from '@family-watch/domain/messages/contracts/socket-events';
import { ChatMessageRepository } from '../../src/conversations/chat/chat-message.repository.js';
import { ChatSenderService } from '../../src/conversations/chat/chat-sender.service.js';
import { anotherSession } from '../support/gateway-test-environment.js';
import { conversationsOf } from '../support/conversations.js';
import { waitForKind } from '../support/family-fixture.js';
import { callerOf, connect, createFamily } from '../support/clients.js';
import { otherNode, serviceOf, useSharedGateway } from '../support/suite-gateway.js';

useSharedGateway();

const REUSED = { ok: false, code: 409016, reason: 'CLIENT_MSG_ID_REUSED' };

describe('chat messages', () => {
  test("reach the watch and the sender's other phone with a sequence number, but not the sending phone", async () => {
    const fixture = await createFamily();
    const { direct } = await conversationsOf(fixture);
    const [phone, tablet, watchClient] = await Promise.all([
      connect(fixture.owner),
      connect(anotherSession(fixture.owner), otherNode),
      connect(fixture.watchPrincipal, otherNode),
    ]);
    const payload = { clientMsgId: randomUUID(), conversationId: direct(fixture.owner), text: 'Dinner is ready' };
    const forged = { ...payload, from: { type: 'system', id: '' }, conversationSeq: 9, cid: 'x' };
    const response = await phone.send('ChatTextMessage', forged);
    expect(response).toMatchObject({ ok: true, conversationSeq: 1, id: expect.any(String) });
    for (const client of [tablet, watchClient]) {
      await waitForKind(client, 'ChatTextMessage');
      expect(client.messagesOfKind('ChatTextMessage')).toEqual([
        {
          id: 'id' in response ? response.id : '',
          kind: 'ChatTextMessage',
          seq: expect.any(Number),
          time: expect.any(Number),
          from: { type: 'user', id: fixture.owner.id },
          did: fixture.did,
          cid: fixture.cid,
          payload: { ...payload, conversationSeq: 1 },
        },
      ]);
    }
    const reply = { ...payload, clientMsgId: randomUUID(), text: 'Coming' };
    expect(await watchClient.send('ChatTextMessage', reply)).toMatchObject({ ok: true, conversationSeq: 2 });
    await waitForKind(phone, 'ChatTextMessage');
    expect(phone.messagesOfKind('ChatTextMessage')).toMatchObject([
      { from: { type: 'watch', id: fixture.watchPrincipal.id }, payload: { text: 'Coming', conversationSeq: 2 } },
    ]);
    expect(watchClient.messagesOfKind('ChatTextMessage')).toHaveLength(1);
  });

  test('to two conversations at the same time with one clientMsgId are stored in one of them and rejected in the other', async () => {
    const fixture = await createFamily();
    const { direct, group } = await conversationsOf(fixture);
    const phones = await Promise.all([connect(fixture.owner), connect(anotherSession(fixture.owner), otherNode)]);
    for (let round = 0; round < 20; round += 1) {
      const clientMsgId = randomUUID();
      const responses = await Promise.all(
        [direct(fixture.owner), group].flatMap((conversationId) =>
          phones.map((phone) => phone.send('ChatTextMessage', { clientMsgId, conversationId, text: 'Hello' })),
        ),
      );
      const stored = responses.filter(({ ok }) => ok);
      expect(stored[0]).toMatchObject({ ok: true, conversationSeq: expect.any(Number) });
      expect(stored).toEqual([stored[0], stored[0]]);
      const rejected = responses.filter(({ ok }) => !ok);
      expect(rejected).toMatchObject([REUSED, REUSED]);
    }
  });

  test('are stored and delivered once, with the same response each time, when the client repeats them', async () => {
    const fixture = await createFamily();
    const { direct } = await conversationsOf(fixture);
    const [phone, watchClient] = await Promise.all([
      connect(fixture.owner),
      connect(fixture.watchPrincipal, otherNode),
    ]);
    const payload = { clientMsgId: 'once', conversationId: direct(fixture.owner), text: 'Hello' };
    const responses = await Promise.all([1, 2, 3].map(() => phone.send('ChatTextMessage', payload)));
    const [first] = responses;
    expect(first).toMatchObject({ ok: true, conversationSeq: 1, id: expect.any(String) });
    expect(responses).toEqual([first, first, first]);
    expect(await phone.send('ChatTextMessage', payload)).toEqual(first);
    // The other node, whose cache does not contain the message id, finds the stored message in the database, and still
    // stores the new message of the same batch.
    const otherPhone = await connect(anotherSession(fixture.owner), otherNode);
    const [again, next] = await Promise.all([
      otherPhone.send('ChatTextMessage', payload),
      otherPhone.send('ChatTextMessage', { ...payload, clientMsgId: 'next' }),
    ]);
    expect(again).toEqual(first);
    expect(next).toMatchObject({ ok: true, conversationSeq: 2 });
    await waitForKind(watchClient, 'ChatTextMessage', 2);
    expect(watchClient.messagesOfKind('ChatTextMessage')).toHaveLength(2);
    const time = (first as SuccessResponse).time;
    expect(watchClient.messagesOfKind('ChatTextMessage')[0]).toMatchObject({ time });
  });

  test('with the clientMsgId of another message are rejected and change nothing', async () => {
    const fixture = await createFamily();
    const { direct, group } = await conversationsOf(fixture);
    const phones = await Promise.all([connect(fixture.owner), connect(anotherSession(fixture.owner), otherNode)]);
    const payload = { clientMsgId: 'once', conversationId: direct(fixture.owner), text: 'Hello' };
    const first = await phones[0].send('ChatTextMessage', payload);
    const others: [string, object][] = [
      ['ChatTextMessage', { ...payload, text: 'I am late' }],
      ['ChatTextMessage', { ...payload, conversationId: group }],
      ['ChatEmojiMessage', { clientMsgId: 'once', conversationId: payload.conversationId, emoji: 'CAKE' }],
    ];
    for (const phone of phones) {
      for (const [event, other] of others) expect(await phone.send(event, other)).toMatchObject(REUSED);
      expect(await phone.send('ChatTextMessage', payload)).toEqual(first);
    }
    const inOneBatch = await Promise.all(
      ['one', 'another', 'one'].map((text) =>
        phones[0].send('ChatTextMessage', { ...payload, clientMsgId: 'x', text }),
      ),
    );
    expect(inOneBatch).toMatchObject([{ ok: true, conversationSeq: 2 }, REUSED, { ok: true, conversationSeq: 2 }]);
    const history = await callerOf(fixture.owner).get('history/get', { conversationId: payload.conversationId });
    const texts = (history.body['items'] as { payload: { text: string } }[]).map((message) => message.payload.text);
    expect(texts).toEqual(['one', 'Hello']);
  });

  test('with the clientMsgId of a recalled message are rejected in another conversation', async () => {
    const fixture = await createFamily();
    const { direct, group } = await conversationsOf(fixture);
    const phone = await connect(fixture.owner);
    const payload = { clientMsgId: 'recalled', conversationId: direct(fixture.owner), text: 'Hello' };
    const first = await phone.send('ChatTextMessage', payload);
    const messageId = 'id' in first ? first.id : '';
    expect(await callerOf(fixture.owner).post('recall', { messageId })).toMatchObject({ status: 200 });
    expect(await phone.send('ChatTextMessage', { ...payload, conversationId: group })).toMatchObject(REUSED);
    expect(await phone.send('ChatTextMessage', payload)).toEqual(first);
  });

  test('in one batch with the same clientMsgId get the same response and are stored once', async () => {
    const fixture = await createFamily();
    const { group: conversationId } = await conversationsOf(fixture);
    const sender = serviceOf(ChatSenderService);
    const store = jest.spyOn(serviceOf(ChatMessageRepository), 'store');
    // Messages of one turn of the event loop are in the same batch.
    const results = await Promise.all(
      ['same', 'same', 'other', 'same'].map((clientMsgId) =>
        sender.send(fixture.owner, 'ChatTextMessage', { clientMsgId, conversationId }),
      ),
    );
    const batches = store.mock.calls.map(([rows]) => rows.map(({ conversationSeq }) => conversationSeq));
    store.mockRestore();
    expect(batches).toEqual([[1, 2]]);
    expect(results.map(({ conversationSeq }) => conversationSeq)).toEqual([1, 1, 2, 1]);
    expect(new Set(results.map(({ id }) => id)).size).toBe(2);
  });

  test('are stored separately when two users send the same clientMsgId', async () => {
    const fixture = await createFamily();
    const { group } = await conversationsOf(fixture);
    const senders = await Promise.all([connect(fixture.owner), connect(fixture.guardian)]);
    const watchClient = await connect(fixture.watchPrincipal, otherNode);
    for (const [index, sender] of senders.entries()) {
      const payload = { clientMsgId: 'the same', conversationId: group, text: String(index) };
      expect(await sender.send('ChatTextMessage', payload)).toMatchObject({ ok: true, conversationSeq: index + 1 });
    }
    await waitForKind(watchClient, 'ChatTextMessage', 2);
    expect(watchClient.messagesOfKind('ChatTextMessage').map(({ from }) => from.id)).toEqual([
      fixture.owner.id,
      fixture.guardian.id,
    ]);
  });

  test('to a conversation of another family get the same response as messages to an unknown conversation', async () => {
    const [fixture, other] = [await createFamily(), await createFamily()];
    const { direct, group } = await conversationsOf(other);
    const [guardian, watchClient] = [await connect(fixture.guardian), await connect(fixture.watchPrincipal)];
    const ids = [direct(other.owner), group, randomUUID(), 'nonsense', direct(other.owner).toUpperCase()];
    for (const client of [guardian, watchClient]) {
      const responses = [];
      for (const conversationId of ids) {
        responses.push(await client.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text: 'x' }));
      }
      for (const response of responses) expect(response).toEqual(responses[0]);
      expect(responses[0]).toMatchObject({ ok: false, code: 404014, reason: 'CONVERSATION_NOT_FOUND' });
    }
  });
});
