import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { anotherSession, user } from '../support/gateway-test-environment.js';
import { headOf, noticesOf, waitForNotices, versionsOf } from '../support/family-fixture.js';
import { connect, createFamily } from '../support/clients.js';
import { node, otherNode, useSharedGateway } from '../support/suite-gateway.js';

useSharedGateway();

const seqsTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('durable messages', () => {
  test('reach the watch and the guardians live, on any node', async () => {
    const fixture = await createFamily();
    const clients = await Promise.all([
      connect(fixture.owner),
      connect(fixture.guardian, otherNode),
      connect(fixture.watchPrincipal, otherNode),
    ]);
    await fixture.publishContactChange(1);
    for (const client of clients) {
      await waitForNotices(client, 1);
      expect(noticesOf(client)[0]).toEqual({
        id: expect.any(String),
        kind: 'ContactsChangeNoticeMessage',
        seq: headOf(client) + 1,
        time: expect.any(Number),
        from: { type: 'system', id: '' },
        did: fixture.did,
        cid: fixture.cid,
        payload: { did: fixture.did, version: 1, change: 'UPDATED', refId: 'r1' },
      });
      expect(client.problems).toEqual([]);
    }
  });

  test('are delivered once when their event arrives twice', async () => {
    const fixture = await createFamily();
    const client = await connect(fixture.owner);
    const id = randomUUID();
    await fixture.publishContactChange(1, id);
    await fixture.publishContactChange(1, id);
    await fixture.publishContactChange(2);
    await waitForNotices(client, 2);
    expect(versionsOf(client)).toEqual([1, 2]);
  });

  test('are replayed and delivered live without gap or duplicate while new messages are stored', async () => {
    const fixture = await createFamily();
    const before = await connect(fixture.owner);
    const start = headOf(before);
    const total = 300;
    const publishAll = (async () => {
      for (const version of seqsTo(total)) await fixture.publishContactChange(version);
    })();
    await waitForNotices(before, 20);
    const clients = await Promise.all(
      seqsTo(5).map((version) =>
        connect(anotherSession(fixture.owner), version % 2 ? node : otherNode, { last: start + version }),
      ),
    );
    await publishAll;
    for (const [index, client] of clients.entries()) {
      await waitForNotices(client, total - index - 1);
      expect(versionsOf(client)).toEqual(seqsTo(total).slice(index + 1));
      expect(client.frames[0]?.after).toBe(start + index + 1);
      expect(client.problems).toEqual([]);
    }
    await waitForNotices(before, total);
    expect(versionsOf(before)).toEqual(seqsTo(total));
  });

  test('are resumed after the last received message when a client reconnects', async () => {
    const fixture = await createFamily();
    const first = await connect(fixture.guardian);
    await fixture.publishContactChange(1);
    await waitForNotices(first, 1);
    first.socket.io.engine.close();
    for (const version of [2, 3]) await fixture.publishContactChange(version);
    const reconnected = await connect(fixture.guardian, otherNode, {
      last: headOf(first) + 1,
      epoch: first.hello?.epoch,
    });
    await waitForNotices(reconnected, 2);
    expect(versionsOf(reconnected)).toEqual([2, 3]);
    expect(headOf(reconnected)).toBe(headOf(first) + 3);
    expect(reconnected.hello).not.toHaveProperty('reset');
  });

  test('are delivered to a new session from the mailbox head, and to an existing session from its acknowledgement', async () => {
    const fixture = await createFamily();
    const phone = await connect(fixture.owner);
    for (const version of [1, 2, 3]) await fixture.publishContactChange(version);
    await waitForNotices(phone, 3);
    const start = headOf(phone);
    expect(await phone.send('AckMessage', { seq: start + 2 })).toMatchObject({ ok: true });
    expect(await phone.send('AckMessage', { seq: start + 1 })).toMatchObject({ ok: true });
    const beyond = await phone.send('AckMessage', { seq: start + 4 });
    expect(beyond).toMatchObject({ ok: false, reason: 'VALIDATION_FAILED' });
    phone.close();
    const [samePhone, newPhone] = await Promise.all([
      connect(fixture.owner, otherNode),
      connect(anotherSession(fixture.owner), otherNode),
    ]);
    await waitForNotices(samePhone, 1);
    expect(versionsOf(samePhone)).toEqual([3]);
    expect(headOf(newPhone)).toBe(start + 3);
    await fixture.publishContactChange(4);
    await waitForNotices(newPhone, 1);
    expect(versionsOf(newPhone)).toEqual([4]);
  });

  test('are resumed for a watch that reconnects with another token', async () => {
    const fixture = await createFamily();
    const before = await connect(fixture.watchPrincipal);
    before.close();
    await fixture.publishContactChange(1);
    const after = await connect(anotherSession(fixture.watchPrincipal));
    await waitForNotices(after, 1);
    expect(versionsOf(after)).toEqual([1]);
  });

  test('all reach two phones and a second guardian, regardless of who acknowledges first', async () => {
    const fixture = await createFamily();
    const secondPhone = anotherSession(fixture.owner);
    for (const each of [fixture.owner, secondPhone, fixture.guardian]) (await connect(each)).close();
    for (const version of [1, 2]) await fixture.publishContactChange(version);
    const quick = await connect(fixture.owner);
    await waitForNotices(quick, 2);
    await quick.send('AckMessage', { seq: headOf(quick) });
    for (const each of [secondPhone, fixture.guardian]) {
      const client = await connect(each, otherNode);
      await waitForNotices(client, 2);
      expect(versionsOf(client)).toEqual([1, 2]);
    }
  });

  test.each([
    ['beyond the head', { last: 999 }],
    ['of another epoch', { last: 1, epoch: 1 }],
  ])(
    'are replayed from the oldest message, with a reset, to a client whose last sequence number is %s',
    async (_, cursor) => {
      const fixture = await createFamily();
      for (const version of [1, 2]) await fixture.publishContactChange(version);
      const client = await connect(fixture.owner, node, cursor);
      expect(client.hello?.reset).toBe(true);
      await waitForNotices(client, 2);
      expect(versionsOf(client)).toEqual([1, 2]);
      expect(client.frames[0]).toMatchObject({ after: 0, through: headOf(client) });
    },
  );

  test('can be acknowledged one by one, and only by their recipient', async () => {
    const fixture = await createFamily();
    const other = user();
    const [watchClient, stranger] = await Promise.all([connect(fixture.watchPrincipal), connect(other)]);
    await fixture.publishContactChange(1);
    await waitForNotices(watchClient, 1);
    const ack = { messageId: noticesOf(watchClient)[0]?.id, status: 'APPLIED', version: 1 };
    expect(await watchClient.send('AckMessage', ack)).toMatchObject({ ok: true });
    expect(await node.outboxPayloadsOf('gateway.message.acknowledged')).toContainEqual(
      expect.objectContaining({ by: `watch:${fixture.did}`, messageId: ack.messageId, status: 'APPLIED', version: 1 }),
    );
    const foreign = await stranger.send('AckMessage', ack);
    expect(foreign).toMatchObject({ ok: false, reason: 'MESSAGE_NOT_FOUND' });
    for (const messageId of [randomUUID(), 'no-uuid']) {
      expect(await stranger.send('AckMessage', { ...ack, messageId })).toEqual(foreign);
    }
    expect(await node.outboxPayloadsOf('gateway.message.acknowledged')).not.toContainEqual(
      expect.objectContaining({ by: `user:${other.id}` }),
    );
    for (const invalid of [{}, { seq: 1, messageId: 'x' }])
      expect(await watchClient.send('AckMessage', invalid)).toMatchObject({ reason: 'VALIDATION_FAILED' });
  });
});
