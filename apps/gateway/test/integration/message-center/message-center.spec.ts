import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CENTER_MESSAGE_RETENTION_MS } from '@family-watch/domain/messages/contracts/message-center';
import type { MessageCenterChangePayload } from '@family-watch/domain/messages/contracts/message-center';
import { CenterMessageService } from '../../../src/contexts/message-center/center-message.service.js';
import { CenterRetentionJob } from '../../../src/contexts/message-center/center-retention.job.js';
import { MessageCenterService } from '../../../src/contexts/message-center/message-center.service.js';
import { SubscriptionService } from '../../../src/contexts/message-center/subscription.service.js';
import type { GatewayNode } from '../../support/gateway-node.js';
import { GatewayTestEnvironment, nextVersion, user } from '../../support/gateway-test-environment.js';
import { FamilyFixture } from '../../support/family-fixture.js';

let world: GatewayTestEnvironment;
let node: GatewayNode;
let center: MessageCenterService;
let inbox: CenterMessageService;
let subscriptions: SubscriptionService;
let home: FamilyFixture;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start();
  node = await world.addNode();
  center = node.app.get(MessageCenterService, { strict: false });
  inbox = node.app.get(CenterMessageService, { strict: false });
  subscriptions = node.app.get(SubscriptionService, { strict: false });
});
afterAll(() => world.stop());
beforeEach(async () => {
  home = await FamilyFixture.in(world);
});

const typesOf = async (userId: string) => (await inbox.list(userId, {})).items.map(({ type }) => type);

async function noticesOf(userId: string): Promise<MessageCenterChangePayload[]> {
  const rows = await node.unitOfWork.executor.query<{ payload: MessageCenterChangePayload }>(
    `SELECT payload FROM gateway.mailbox_message
     WHERE principal = $1 AND kind = 'MessageCenterChangeNoticeMessage' ORDER BY seq`,
    [`user:${userId}`],
  );
  return rows.map(({ payload }) => payload);
}

function bound(name: 'userctx.watch.bound' | 'userctx.watch.unbound' = 'userctx.watch.bound', id?: string) {
  const { familyId } = home.family;
  const by: PrincipalKey = `user:${home.owner.id}`;
  const payload = { familyId, cid: home.cid, did: home.did, by, time: world.clock.now() };
  return world.publish({ name, key: familyId, payload }, id);
}

function status(battery: number) {
  const unknown = { worn: null, signal: null, signalMax: null, stepTotal: null, firmwareVersion: null };
  const payload = { ...unknown, charging: false, did: home.did, battery, time: world.clock.now() };
  return world.publish({ name: 'gateway.watch.status-reported', key: `watch:${home.did}`, payload });
}

describe('telling', () => {
  test('each guardian has one message and one notice with the number that is unread', async () => {
    await bound();
    await bound('userctx.watch.unbound');
    for (const { id } of [home.owner, home.guardian]) {
      const { items, unread } = await inbox.list(id, {});
      expect(items).toMatchObject([
        { type: 'WATCH_UNBOUND', category: 'WATCH', severity: 'WARNING', read: false, cid: home.cid, did: home.did },
        { type: 'WATCH_BOUND', severity: 'INFO', params: { by: `user:${home.owner.id}` } },
      ]);
      expect(unread).toBe(2);
      const notices = await noticesOf(id);
      expect(notices.map((notice) => notice.unread)).toEqual([1, 2]);
      expect(notices.map(({ messageId }) => messageId)).toEqual(items.map(({ messageId }) => messageId).toReversed());
    }
  });

  test('an event that comes again tells nothing twice, even to a handler that forgot it', async () => {
    const id = randomUUID();
    await bound('userctx.watch.bound', id);
    await node.unitOfWork.executor.query('DELETE FROM gateway.inbox');
    await bound('userctx.watch.bound', id);
    expect(await typesOf(home.owner.id)).toEqual(['WATCH_BOUND']);
    expect(await noticesOf(home.owner.id)).toHaveLength(1);
  });

  test('several news of one unit count one another, and a unit that fails tells nothing', async () => {
    const news = (source: string) =>
      center.publish({
        source,
        type: 'CALL_MISSED',
        params: {},
        familyId: home.family.familyId,
        cid: home.cid,
        did: null,
        audience: 'CALL',
        time: 5,
        userIds: [home.owner.id],
      } as const);
    await node.unitOfWork.run(async () => {
      await news('a');
      await news('b');
      await news('a');
    });
    expect((await noticesOf(home.owner.id)).map(({ unread }) => unread)).toEqual([1, 2]);
    const failing = node.unitOfWork.run(async () => {
      await news('c');
      throw new Error('the handler failed');
    });
    await expect(failing).rejects.toThrow('the handler failed');
    expect(await typesOf(home.owner.id)).toHaveLength(2);
    expect(await typesOf(home.guardian.id)).toEqual([]);
  });

  test('units that tell each other’s people at once neither lose a message nor count one twice', async () => {
    const other = await FamilyFixture.in(world);
    const people = [home.owner, home.guardian, other.owner, other.guardian].map(({ id }) => id);
    await Promise.all(
      Array.from({ length: 30 }, (_, round) =>
        node.unitOfWork.run(async () => {
          for (const userId of people.toSorted(() => Math.random() - 0.5)) {
            const source = `${round}:${userId}`;
            const ofNoFamily = { familyId: null, cid: null, did: null, audience: 'MEMBERS' } as const;
            await center.publish({
              ...ofNoFamily,
              source,
              type: 'SIGN_IN_NEW',
              params: {},
              time: 1,
              userIds: [userId],
            });
          }
        }),
      ),
    );
    for (const userId of people) {
      const numbers = (await noticesOf(userId)).map(({ unread }) => unread);
      expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    }
  });
});

describe('what is told', () => {
  test('a sign-in, to the person alone', async () => {
    const payload = { userId: home.owner.id, sessionId: 's1', time: 7 };
    await world.publish({ name: 'userctx.session.started', key: `user:${home.owner.id}`, payload });
    const { items } = await inbox.list(home.owner.id, { category: 'SIGN_IN' });
    expect(items).toMatchObject([{ type: 'SIGN_IN_NEW', params: { sessionId: 's1' }, familyId: null, time: 7 }]);
    expect(await typesOf(home.guardian.id)).toEqual([]);
  });

  test('a battery, once per level', async () => {
    for (const battery of [50, 20, 19, 21, 10, 9, 30, 20]) await status(battery);
    const { items } = await inbox.list(home.guardian.id, { category: 'BATTERY' });
    expect(items.map(({ params }) => params['battery']).toReversed()).toEqual([20, 10, 20]);
  });

  test('a watch that went silent by itself, not one that was switched off', async () => {
    const shutDown = (cause: 'USER' | 'LOST_CONNECTION' | 'BATTERY', time: number) =>
      world.publish({
        name: 'gateway.watch.shut-down',
        key: `watch:${home.did}`,
        payload: { did: home.did, time, cause },
      } as const);
    await shutDown('USER', 1);
    await shutDown('LOST_CONNECTION', 2);
    await shutDown('LOST_CONNECTION', 2);
    await shutDown('BATTERY', 3);
    expect(await typesOf(home.owner.id)).toEqual(['WATCH_BATTERY_EMPTY', 'WATCH_LOST_CONNECTION']);
  });

  test('who joins and who leaves; whoever left keeps nothing of the family', async () => {
    const guest = user();
    const [owner, guardian] = home.family.members;
    if (!owner || !guardian) throw new Error('No members');
    const joined = nextVersion(home.family, { members: [owner, guardian, { ...guardian, userId: guest.id }] });
    await world.familyChanged(joined);
    expect(await typesOf(guest.id)).toEqual(['MEMBER_JOINED']);
    await world.familyChanged(nextVersion(joined, { members: [owner, guardian] }));
    expect(await typesOf(home.owner.id)).toEqual(['MEMBER_LEFT', 'MEMBER_JOINED']);
    expect(await inbox.list(guest.id, {})).toEqual({ items: [], nextCursor: null, unread: 0 });
    await world.familyChanged(home.family);
    expect(await typesOf(home.owner.id)).toHaveLength(2);
  });

  test('a child that was deleted and restored; nothing of one that was erased', async () => {
    const { familyId } = home.family;
    const fact = { familyId, cid: home.cid, by: `user:${home.owner.id}` } as const;
    await world.publish({ name: 'userctx.child.deleted', key: familyId, payload: { ...fact, did: home.did } });
    await world.publish({ name: 'userctx.child.restored', key: familyId, payload: fact });
    expect(await typesOf(home.guardian.id)).toEqual(['CHILD_RESTORED', 'CHILD_DELETED']);
    await world.publish({ name: 'userctx.child.erased', key: familyId, payload: { familyId, cid: home.cid } });
    expect(await typesOf(home.guardian.id)).toEqual([]);
  });

  test('an application for friendship, to the family that is asked, then to both', async () => {
    const other = await FamilyFixture.in(world);
    const sideOf = ({ family, cid, did }: FamilyFixture) => ({ familyId: family.familyId, cid, did });
    const changed = (state: 'APPLIED' | 'CONFIRMED' | 'ACCEPTED') =>
      world.publish({
        name: 'userctx.friend-application.changed',
        key: home.family.familyId,
        payload: { applicationId: 'a1', from: sideOf(home), to: sideOf(other), state, time: world.clock.now() },
      } as const);
    for (const state of ['APPLIED', 'CONFIRMED', 'ACCEPTED'] as const) await changed(state);
    const statesOf = async (userId: string) =>
      (await inbox.list(userId, {})).items.map(({ params }) => params['state']);
    expect(await statesOf(home.owner.id)).toEqual(['ACCEPTED', 'APPLIED']);
    expect(await statesOf(other.owner.id)).toEqual(['ACCEPTED', 'CONFIRMED']);
  });

  test('only to those who have alerts for the child', async () => {
    const [owner, guardian] = home.family.members;
    if (!owner || !guardian) throw new Error('No members');
    await status(15);
    expect(await typesOf(home.guardian.id)).toEqual(['BATTERY_LOW']);
    await world.familyChanged(nextVersion(home.family, { members: [owner, { ...guardian, permissions: ['CHAT'] }] }));
    expect(await typesOf(home.guardian.id)).toEqual([]);
    await status(5);
    expect(await typesOf(home.guardian.id)).toEqual([]);
    expect(await typesOf(home.owner.id)).toHaveLength(2);
  });
});

describe('reading', () => {
  test('pages hold every message once, newest first', async () => {
    for (let time = 1; time <= 7; time += 1) await bound();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await inbox.list(home.owner.id, { limit: 3, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map(({ messageId }) => messageId));
      cursor = page.nextCursor;
    } while (cursor);
    expect(new Set(seen).size).toBe(7);
    await expect(inbox.list(home.owner.id, { cursor: 'nonsense' })).rejects.toThrow();
  });

  test('nobody touches the messages of another, and an id of nothing is refused alike', async () => {
    await bound();
    const [message] = (await inbox.list(home.owner.id, {})).items;
    const stranger = user();
    for (const messageId of [message?.messageId ?? '', randomUUID(), 'nonsense']) {
      for (const attempt of [
        inbox.read(stranger.id, { messageIds: [messageId] }),
        inbox.read(stranger.id, { through: messageId }),
        inbox.delete(stranger.id, { messageIds: [messageId] }),
      ]) {
        await expect(attempt).rejects.toMatchObject({ reason: 'MESSAGE_NOT_FOUND' });
      }
    }
    expect((await inbox.list(home.owner.id, {})).unread).toBe(1);
  });

  test('what is too old is deleted, by a clock that was moved', async () => {
    await bound();
    const retention = node.app.get(CenterRetentionJob, { strict: false });
    world.clock.forward(CENTER_MESSAGE_RETENTION_MS - 60_000);
    await retention.run();
    expect(await typesOf(home.owner.id)).toHaveLength(1);
    world.clock.forward(120_000);
    await retention.run();
    expect(await typesOf(home.owner.id)).toEqual([]);
  });
});

describe('a subscription', () => {
  test('keeps categories out of the centre that were switched off', async () => {
    await subscriptions.update(home.owner.id, { categories: [{ category: 'WATCH', enabled: false }] });
    await bound();
    expect(await typesOf(home.owner.id)).toEqual([]);
    expect(await noticesOf(home.owner.id)).toEqual([]);
    expect(await typesOf(home.guardian.id)).toEqual(['WATCH_BOUND']);
  });

  test('never lets SOS be switched off, and refuses quiet hours that last no time', async () => {
    for (const off of [{ enabled: false }, { push: false }]) {
      const update = subscriptions.update(home.owner.id, { categories: [{ category: 'SOS', ...off }] });
      await expect(update).rejects.toMatchObject({ reason: 'VALIDATION_FAILED' });
    }
    const quietHours = { from: 60, to: 60, timeZone: 'UTC' };
    await expect(subscriptions.update(home.owner.id, { quietHours })).rejects.toMatchObject({
      reason: 'VALIDATION_FAILED',
    });
    expect(await subscriptions.get(home.owner.id)).toEqual({ categories: {}, quietHours: null });
  });

  test('changes what is named and leaves the rest', async () => {
    const { id } = home.owner;
    await subscriptions.update(id, { categories: [{ category: 'CALL', push: false }] });
    await subscriptions.update(id, { quietHours: { from: 1_320, to: 420, timeZone: 'Asia/Shanghai' } });
    await subscriptions.update(id, { categories: [{ category: 'CALL', enabled: false }] });
    expect(await subscriptions.get(id)).toEqual({
      categories: { CALL: { enabled: false, push: false } },
      quietHours: { from: 1_320, to: 420, timeZone: 'Asia/Shanghai' },
    });
    await subscriptions.update(id, { quietHours: null });
    expect((await subscriptions.get(id)).quietHours).toBeNull();
  });
});
