import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { GatewayNode } from '../support/gateway-node.js';
import { anotherSession, GatewayTestEnvironment } from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { conversationsOf } from '../support/conversations.js';

let world: GatewayTestEnvironment;
/** Two processes on one database; behaviour must not depend on the node that a client is connected to. */
let node: GatewayNode;
let otherNode: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.shared();
  node = await world.addNode();
  otherNode = await world.addNode();
});

afterAll(() => world.stop());

describe('chat messages', () => {
  test("reach the watch and the sender's other phone with a number, but not the sending phone", async () => {
    const home = await FamilyFixture.in(world);
    const { direct } = await conversationsOf(node, home);
    const [phone, tablet, wearer] = await Promise.all([
      world.connect(node, home.owner),
      world.connect(otherNode, anotherSession(home.owner)),
      world.connect(otherNode, home.wearer),
    ]);
    const payload = { clientMsgId: randomUUID(), conversationId: direct(home.owner), text: 'Dinner is ready' };
    const forged = { ...payload, from: { type: 'system', id: '' }, conversationSeq: 9, cid: 'x' };
    const response = await phone.send('ChatTextMessage', forged);
    expect(response).toMatchObject({ ok: true, conversationSeq: 1, id: expect.any(String) });
    for (const client of [tablet, wearer]) {
      await client.waitFor(() => client.ofKind('ChatTextMessage').length > 0, 'the text');
      expect(client.ofKind('ChatTextMessage')).toEqual([
        {
          id: 'id' in response ? response.id : '',
          kind: 'ChatTextMessage',
          seq: expect.any(Number),
          time: expect.any(Number),
          from: { type: 'user', id: home.owner.id },
          did: home.did,
          cid: home.cid,
          payload: { ...payload, conversationSeq: 1 },
        },
      ]);
    }
    const reply = { ...payload, clientMsgId: randomUUID(), text: 'Coming' };
    expect(await wearer.send('ChatTextMessage', reply)).toMatchObject({ ok: true, conversationSeq: 2 });
    await phone.waitFor(() => phone.ofKind('ChatTextMessage').length > 0, 'the reply');
    expect(phone.ofKind('ChatTextMessage')).toMatchObject([
      { from: { type: 'watch', id: home.wearer.id }, payload: { text: 'Coming', conversationSeq: 2 } },
    ]);
    expect(wearer.ofKind('ChatTextMessage')).toHaveLength(1);
  });

  test('are stored and delivered once when sent repeatedly, with the same response', async () => {
    const home = await FamilyFixture.in(world);
    const { direct } = await conversationsOf(node, home);
    const [phone, wearer] = await Promise.all([world.connect(node, home.owner), world.connect(otherNode, home.wearer)]);
    const payload = { clientMsgId: 'once', conversationId: direct(home.owner), text: 'Hello' };
    const responses = await Promise.all([1, 2, 3].map(() => phone.send('ChatTextMessage', payload)));
    expect(new Set(responses.map((response) => ('id' in response ? response.id : '')))).toHaveProperty('size', 1);
    expect(await phone.send('ChatTextMessage', payload)).toMatchObject({ ok: true, conversationSeq: 1 });
    // A node without the id in its cache finds it in the database, and stores new messages beside it.
    const otherPhone = await world.connect(otherNode, anotherSession(home.owner));
    const [again, next] = await Promise.all([
      otherPhone.send('ChatTextMessage', payload),
      otherPhone.send('ChatTextMessage', { ...payload, clientMsgId: 'next' }),
    ]);
    expect(again).toMatchObject({ ok: true, conversationSeq: 1 });
    expect(next).toMatchObject({ ok: true, conversationSeq: 2 });
    await wearer.waitFor(() => wearer.ofKind('ChatTextMessage').length > 1, 'both');
    expect(wearer.ofKind('ChatTextMessage')).toHaveLength(2);
  });

  test('get the first response when sent again to another node', async () => {
    const home = await FamilyFixture.in(world);
    const { direct } = await conversationsOf(node, home);
    const [phone, tablet] = await Promise.all([
      world.connect(node, home.owner),
      world.connect(otherNode, anotherSession(home.owner)),
    ]);
    const payload = { clientMsgId: randomUUID(), conversationId: direct(home.owner), text: 'Hello' };
    const first = await phone.send('ChatTextMessage', payload);
    const id = 'id' in first ? first.id : '';
    expect(await tablet.send('ChatTextMessage', payload)).toMatchObject({ ok: true, id, conversationSeq: 1 });
  });

  test('of two users with the same client id are two messages', async () => {
    const home = await FamilyFixture.in(world);
    const { group } = await conversationsOf(node, home);
    const senders = await Promise.all([world.connect(node, home.owner), world.connect(node, home.guardian)]);
    const wearer = await world.connect(otherNode, home.wearer);
    for (const [index, sender] of senders.entries()) {
      const payload = { clientMsgId: 'the same', conversationId: group, text: String(index) };
      expect(await sender.send('ChatTextMessage', payload)).toMatchObject({ ok: true, conversationSeq: index + 1 });
    }
    await wearer.waitFor(() => wearer.ofKind('ChatTextMessage').length > 1, 'both');
    expect(wearer.ofKind('ChatTextMessage').map(({ from }) => from.id)).toEqual([home.owner.id, home.guardian.id]);
  });

  test("get the same response for another family's conversation as for an unknown one", async () => {
    const [home, other] = [await FamilyFixture.in(world), await FamilyFixture.in(world)];
    const { direct, group } = await conversationsOf(node, other);
    const [guardian, wearer] = [await world.connect(node, home.guardian), await world.connect(node, home.wearer)];
    const ids = [direct(other.owner), group, randomUUID(), 'nonsense', direct(other.owner).toUpperCase()];
    for (const client of [guardian, wearer]) {
      const responses = [];
      for (const conversationId of ids) {
        responses.push(await client.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text: 'x' }));
      }
      for (const response of responses) expect(response).toEqual(responses[0]);
      expect(responses[0]).toMatchObject({ ok: false, code: 404014, reason: 'CONVERSATION_NOT_FOUND' });
    }
  });
});
