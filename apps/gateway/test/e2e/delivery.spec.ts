import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { GatewayNode } from '../support/gateway-node.js';
import { anotherSession, GatewayTestEnvironment, user } from '../support/gateway-test-environment.js';
import { headOf, FamilyFixture, noticesOf, untilNotices, versionsOf } from '../support/family-fixture.js';

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

const seqsTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('durable messages', () => {
  test('reach the watch and the guardians live, on any node', async () => {
    const home = await FamilyFixture.in(world);
    const clients = await Promise.all([
      world.connect(node, home.owner),
      world.connect(otherNode, home.guardian),
      world.connect(otherNode, home.wearer),
    ]);
    await home.contactChanged(1);
    for (const client of clients) {
      await untilNotices(client, 1);
      expect(noticesOf(client)[0]).toEqual({
        id: expect.any(String),
        kind: 'ContactsChangeNoticeMessage',
        seq: headOf(client) + 1,
        time: expect.any(Number),
        from: { type: 'system', id: '' },
        did: home.did,
        cid: home.cid,
        payload: { did: home.did, version: 1, change: 'UPDATED', refId: 'r1' },
      });
      expect(client.problems).toEqual([]);
    }
  });

  test('are delivered once when their event arrives twice', async () => {
    const home = await FamilyFixture.in(world);
    const client = await world.connect(node, home.owner);
    const id = randomUUID();
    await home.contactChanged(1, id);
    await home.contactChanged(1, id);
    await home.contactChanged(2);
    await untilNotices(client, 2);
    expect(versionsOf(client)).toEqual([1, 2]);
  });

  test('are replayed and delivered live without gap or duplicate while new ones are stored', async () => {
    const home = await FamilyFixture.in(world);
    const before = await world.connect(node, home.owner);
    const start = headOf(before);
    const total = 300;
    const publishAll = (async () => {
      for (const version of seqsTo(total)) await home.contactChanged(version);
    })();
    await untilNotices(before, 20);
    const clients = await Promise.all(
      seqsTo(5).map((version) =>
        world.connect(version % 2 ? node : otherNode, anotherSession(home.owner), { last: start + version }),
      ),
    );
    await publishAll;
    for (const [index, client] of clients.entries()) {
      await untilNotices(client, total - index - 1);
      expect(versionsOf(client)).toEqual(seqsTo(total).slice(index + 1));
      expect(client.frames[0]?.after).toBe(start + index + 1);
      expect(client.problems).toEqual([]);
    }
    expect(versionsOf(before)).toEqual(seqsTo(total));
  });

  test('resume after the last received one when a connection breaks', async () => {
    const home = await FamilyFixture.in(world);
    const first = await world.connect(node, home.guardian);
    await home.contactChanged(1);
    await untilNotices(first, 1);
    first.socket.io.engine.close();
    for (const version of [2, 3]) await home.contactChanged(version);
    const reconnected = await world.connect(otherNode, home.guardian, {
      last: headOf(first) + 1,
      epoch: first.hello?.epoch,
    });
    await untilNotices(reconnected, 2);
    expect(versionsOf(reconnected)).toEqual([2, 3]);
    expect(headOf(reconnected)).toBe(headOf(first) + 3);
    expect(reconnected.hello).not.toHaveProperty('reset');
  });

  test('start at the head for a new session and after the acknowledgement for an existing one', async () => {
    const home = await FamilyFixture.in(world);
    const phone = await world.connect(node, home.owner);
    for (const version of [1, 2, 3]) await home.contactChanged(version);
    await untilNotices(phone, 3);
    const start = headOf(phone);
    expect(await phone.send('AckMessage', { seq: start + 2 })).toMatchObject({ ok: true });
    expect(await phone.send('AckMessage', { seq: start + 1 })).toMatchObject({ ok: true });
    const beyond = await phone.send('AckMessage', { seq: start + 4 });
    expect(beyond).toMatchObject({ ok: false, reason: 'VALIDATION_FAILED' });
    phone.close();
    const [samePhone, newPhone] = await Promise.all([
      world.connect(otherNode, home.owner),
      world.connect(otherNode, anotherSession(home.owner)),
    ]);
    await untilNotices(samePhone, 1);
    expect(versionsOf(samePhone)).toEqual([3]);
    expect(headOf(newPhone)).toBe(start + 3);
    await home.contactChanged(4);
    await untilNotices(newPhone, 1);
    expect(versionsOf(newPhone)).toEqual([4]);
  });

  test('resume for a watch that reconnects with another token', async () => {
    const home = await FamilyFixture.in(world);
    const before = await world.connect(node, home.wearer);
    before.close();
    await home.contactChanged(1);
    const after = await world.connect(node, anotherSession(home.wearer));
    await untilNotices(after, 1);
    expect(versionsOf(after)).toEqual([1]);
  });

  test('reach two phones and a second guardian completely, whoever acknowledges first', async () => {
    const home = await FamilyFixture.in(world);
    const secondPhone = anotherSession(home.owner);
    for (const each of [home.owner, secondPhone, home.guardian]) (await world.connect(node, each)).close();
    for (const version of [1, 2]) await home.contactChanged(version);
    const quick = await world.connect(node, home.owner);
    await untilNotices(quick, 2);
    await quick.send('AckMessage', { seq: headOf(quick) });
    for (const each of [secondPhone, home.guardian]) {
      const client = await world.connect(otherNode, each);
      await untilNotices(client, 2);
      expect(versionsOf(client)).toEqual([1, 2]);
    }
  });

  test.each([
    ['beyond the head', { last: 999 }],
    ['of another epoch', { last: 1, epoch: 1 }],
  ])('start at the oldest retained one, with a reset, for a last number %s', async (_, cursor) => {
    const home = await FamilyFixture.in(world);
    for (const version of [1, 2]) await home.contactChanged(version);
    const client = await world.connect(node, home.owner, cursor);
    expect(client.hello?.reset).toBe(true);
    await untilNotices(client, 2);
    expect(versionsOf(client)).toEqual([1, 2]);
    expect(client.frames[0]).toMatchObject({ after: 0, through: headOf(client) });
  });

  test('can be acknowledged one by one, and only by their recipient', async () => {
    const home = await FamilyFixture.in(world);
    const [wearer, stranger] = await Promise.all([world.connect(node, home.wearer), world.connect(node, user())]);
    await home.contactChanged(1);
    await untilNotices(wearer, 1);
    const ack = { messageId: noticesOf(wearer)[0]?.id, status: 'APPLIED', version: 1 };
    expect(await wearer.send('AckMessage', ack)).toMatchObject({ ok: true });
    expect(await node.outboxOf('gateway.message.acknowledged')).toContainEqual(
      expect.objectContaining({ by: `watch:${home.did}`, messageId: ack.messageId, status: 'APPLIED', version: 1 }),
    );
    const foreign = await stranger.send('AckMessage', ack);
    expect(foreign).toMatchObject({ ok: false, reason: 'MESSAGE_NOT_FOUND' });
    for (const messageId of [randomUUID(), 'no-uuid']) {
      expect(await stranger.send('AckMessage', { ...ack, messageId })).toEqual(foreign);
    }
    expect(await wearer.send('AckMessage', {})).toMatchObject({ reason: 'VALIDATION_FAILED' });
    expect(await wearer.send('AckMessage', { seq: 1, messageId: 'x' })).toMatchObject({ reason: 'VALIDATION_FAILED' });
  });
});
