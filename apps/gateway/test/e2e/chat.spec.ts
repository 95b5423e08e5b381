import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { GatewayNode } from '../support/gateway-node.js';
import { anotherSession, GatewayTestEnvironment } from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { conversationsOf } from '../support/conversations.js';

let world: GatewayTestEnvironment;
/** Two processes on one database: nothing may depend on which of them a client is connected to. */
let node: GatewayNode;
let otherNode: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.shared();
  node = await world.addNode();
  otherNode = await world.addNode();
});

afterAll(() => world.stop());

describe('text in a conversation of a member and a child', () => {
  test('reaches the watch and the sender’s other phone, numbered, and not the phone that said it', async () => {
    const home = await FamilyFixture.in(world);
    const { direct } = await conversationsOf(node, home);
    const [phone, tablet, wearer] = await Promise.all([
      world.connect(node, home.owner),
      world.connect(otherNode, anotherSession(home.owner)),
      world.connect(otherNode, home.wearer),
    ]);
    const said = { clientMsgId: randomUUID(), conversationId: direct(home.owner), text: 'Dinner is ready' };
    const forged = { ...said, from: { type: 'system', id: '' }, conversationSeq: 9, cid: 'x' };
    const answer = await phone.send('ChatTextMessage', forged);
    expect(answer).toMatchObject({ ok: true, conversationSeq: 1, id: expect.any(String) });
    for (const client of [tablet, wearer]) {
      await client.waitFor(() => client.ofKind('ChatTextMessage').length > 0, 'the text');
      expect(client.ofKind('ChatTextMessage')).toEqual([
        {
          id: 'id' in answer ? answer.id : '',
          kind: 'ChatTextMessage',
          seq: expect.any(Number),
          time: expect.any(Number),
          from: { type: 'user', id: home.owner.id },
          did: home.did,
          cid: home.cid,
          payload: { ...said, conversationSeq: 1 },
        },
      ]);
    }
    const back = { ...said, clientMsgId: randomUUID(), text: 'Coming' };
    expect(await wearer.send('ChatTextMessage', back)).toMatchObject({ ok: true, conversationSeq: 2 });
    await phone.waitFor(() => phone.ofKind('ChatTextMessage').length > 0, 'the answer');
    expect(phone.ofKind('ChatTextMessage')).toMatchObject([
      { from: { type: 'watch', id: home.wearer.id }, payload: { text: 'Coming', conversationSeq: 2 } },
    ]);
    expect(wearer.ofKind('ChatTextMessage')).toHaveLength(1);
  });

  test('said twice is stored and delivered once, and answered alike', async () => {
    const home = await FamilyFixture.in(world);
    const { direct } = await conversationsOf(node, home);
    const [phone, wearer] = await Promise.all([world.connect(node, home.owner), world.connect(otherNode, home.wearer)]);
    const said = { clientMsgId: 'once', conversationId: direct(home.owner), text: 'Hello' };
    const answers = await Promise.all([1, 2, 3].map(() => phone.send('ChatTextMessage', said)));
    expect(new Set(answers.map((answer) => ('id' in answer ? answer.id : '')))).toHaveProperty('size', 1);
    expect(await phone.send('ChatTextMessage', said)).toMatchObject({ ok: true, conversationSeq: 1 });
    // A node that has not heard of it learns it from the database, and takes what is new beside it.
    const elsewhere = await world.connect(otherNode, anotherSession(home.owner));
    const [again, then] = await Promise.all([
      elsewhere.send('ChatTextMessage', said),
      elsewhere.send('ChatTextMessage', { ...said, clientMsgId: 'then' }),
    ]);
    expect(again).toMatchObject({ ok: true, conversationSeq: 1 });
    expect(then).toMatchObject({ ok: true, conversationSeq: 2 });
    await wearer.waitFor(() => wearer.ofKind('ChatTextMessage').length > 1, 'both');
    expect(wearer.ofKind('ChatTextMessage')).toHaveLength(2);
  });

  test('said again to another node, by itself, is answered as the first time', async () => {
    const home = await FamilyFixture.in(world);
    const { direct } = await conversationsOf(node, home);
    const [phone, tablet] = await Promise.all([
      world.connect(node, home.owner),
      world.connect(otherNode, anotherSession(home.owner)),
    ]);
    const said = { clientMsgId: randomUUID(), conversationId: direct(home.owner), text: 'Hello' };
    const first = await phone.send('ChatTextMessage', said);
    const id = 'id' in first ? first.id : '';
    expect(await tablet.send('ChatTextMessage', said)).toMatchObject({ ok: true, id, conversationSeq: 1 });
  });

  test('of two persons under the same client id is two messages', async () => {
    const home = await FamilyFixture.in(world);
    const { group } = await conversationsOf(node, home);
    const speakers = await Promise.all([world.connect(node, home.owner), world.connect(node, home.guardian)]);
    const wearer = await world.connect(otherNode, home.wearer);
    for (const [index, speaker] of speakers.entries()) {
      const said = { clientMsgId: 'the same', conversationId: group, text: String(index) };
      expect(await speaker.send('ChatTextMessage', said)).toMatchObject({ ok: true, conversationSeq: index + 1 });
    }
    await wearer.waitFor(() => wearer.ofKind('ChatTextMessage').length > 1, 'both');
    expect(wearer.ofKind('ChatTextMessage').map(({ from }) => from.id)).toEqual([home.owner.id, home.guardian.id]);
  });

  test('a conversation of others answers like none at all', async () => {
    const [home, other] = [await FamilyFixture.in(world), await FamilyFixture.in(world)];
    const { direct, group } = await conversationsOf(node, other);
    const [guardian, wearer] = [await world.connect(node, home.guardian), await world.connect(node, home.wearer)];
    const ids = [direct(other.owner), group, randomUUID(), 'nonsense', direct(other.owner).toUpperCase()];
    for (const client of [guardian, wearer]) {
      const answers = [];
      for (const conversationId of ids) {
        answers.push(await client.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text: 'x' }));
      }
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect(answers[0]).toMatchObject({ ok: false, code: 404014, reason: 'CONVERSATION_NOT_FOUND' });
    }
  });
});
