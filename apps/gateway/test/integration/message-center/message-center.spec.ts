import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import {
  CENTER_MESSAGE_RETENTION_MS,
  type MessageCenterChangePayload,
} from '@family-watch/domain/messages/contracts/message-center';
import { MessageCenterService } from '../../../src/notifications/message-center/message-center.service.js';
import { SubscriptionService } from '../../../src/notifications/subscriptions/subscription.service.js';
import { user } from '../../support/gateway-test-environment.js';
import type { FamilyFixture } from '../../support/family-fixture.js';
import { createFamily } from '../../support/clients.js';
import { environment, node, query, serviceOf, startGateway } from '../../support/suite-gateway.js';

startGateway({}, 1);
beforeAll(() => {
  messageCenter = serviceOf(MessageCenterService);
  subscriptions = serviceOf(SubscriptionService);
});
let messageCenter: MessageCenterService;
let subscriptions: SubscriptionService;
let fixture: FamilyFixture;

beforeEach(async () => {
  fixture = await createFamily();
});

const typesOf = async (userId: string) => (await messageCenter.list(userId, {})).items.map(({ type }) => type);

async function noticesOf(userId: string): Promise<MessageCenterChangePayload[]> {
  const rows = await query<{ payload: MessageCenterChangePayload }>(
    `SELECT payload FROM gateway.mailbox_entry
     WHERE principal = $1 AND kind = 'MessageCenterChangeNoticeMessage' ORDER BY seq`,
    [`user:${userId}`],
  );
  return rows.map(({ payload }) => payload);
}

function publishBinding(name: 'userctx.watch.bound' | 'userctx.watch.unbound' = 'userctx.watch.bound', id?: string) {
  return fixture.publish(name, { by: `user:${fixture.owner.id}`, time: environment.clock.now() }, id);
}

function publishStatus(battery: number) {
  const unknown = { worn: null, signal: null, signalMax: null, stepTotal: null, firmwareVersion: null };
  const payload = { ...unknown, charging: false, did: fixture.did, battery, time: environment.clock.now() };
  return environment.publish({
    name: 'gateway.watch.status-reported',
    key: `watch:${fixture.did}`,
    payload,
  });
}

describe('MessageCenterService.publish', () => {
  test('stores one message per guardian and sends a notice with the unread count', async () => {
    await publishBinding();
    await publishBinding('userctx.watch.unbound');
    for (const { id } of [fixture.owner, fixture.guardian]) {
      const { items, unread } = await messageCenter.list(id, {});
      expect(items).toMatchObject([
        {
          type: 'WATCH_UNBOUND',
          category: 'WATCH',
          severity: 'WARNING',
          read: false,
          cid: fixture.cid,
          did: fixture.did,
        },
        { type: 'WATCH_BOUND', severity: 'INFO', params: { by: `user:${fixture.owner.id}` } },
      ]);
      expect(unread).toBe(2);
      const notices = await noticesOf(id);
      expect(notices.map((notice) => notice.unread)).toEqual([1, 2]);
      expect(notices.map(({ messageId }) => messageId)).toEqual(items.map(({ messageId }) => messageId).toReversed());
    }
  });

  test('publishes nothing for a repeated event, even after the inbox row of the event was deleted', async () => {
    const id = randomUUID();
    await publishBinding('userctx.watch.bound', id);
    await query('DELETE FROM gateway.inbox');
    await publishBinding('userctx.watch.bound', id);
    expect(await typesOf(fixture.owner.id)).toEqual(['WATCH_BOUND']);
    expect(await noticesOf(fixture.owner.id)).toHaveLength(1);
  });

  test('counts all messages of one transaction, and publishes nothing when the transaction fails', async () => {
    const publish = (source: string) =>
      messageCenter.publish({
        source,
        type: 'CALL_MISSED',
        params: {},
        familyId: fixture.family.familyId,
        cid: fixture.cid,
        did: null,
        audience: 'CALL',
        time: 5,
        userIds: [fixture.owner.id],
      } as const);
    await node.unitOfWork.run(async () => {
      await publish('a');
      await publish('b');
      await publish('a');
    });
    expect((await noticesOf(fixture.owner.id)).map(({ unread }) => unread)).toEqual([1, 2]);
    const failing = node.unitOfWork.run(async () => {
      await publish('c');
      throw new Error('the handler failed');
    });
    await expect(failing).rejects.toThrow('the handler failed');
    expect(await typesOf(fixture.owner.id)).toHaveLength(2);
    expect(await typesOf(fixture.guardian.id)).toEqual([]);
  });

  test('stores and counts every message exactly once when concurrent transactions share recipients', async () => {
    const other = await createFamily();
    const userIds = [fixture.owner, fixture.guardian, other.owner, other.guardian].map(({ id }) => id);
    await Promise.all(
      Array.from({ length: 30 }, (_, round) =>
        node.unitOfWork.run(async () => {
          for (const userId of userIds.toSorted(() => Math.random() - 0.5)) {
            const source = `${round}:${userId}`;
            const subject = { familyId: null, cid: null, did: null, audience: 'MEMBERS' } as const;
            await messageCenter.publish({
              ...subject,
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
    for (const userId of userIds) {
      const unreadCounts = (await noticesOf(userId)).map(({ unread }) => unread);
      expect(unreadCounts).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    }
  });
});

describe('event handlers of the message centre', () => {
  test.each([
    ['userctx.session.started', { type: 'SIGN_IN_NEW' }],
    ['userctx.session.token-reused', { type: 'SESSION_TOKEN_REUSED', severity: 'WARNING' }],
  ] as const)('publish %s only to the user of the session', async (name, message) => {
    const userId = fixture.guardian.id;
    await environment.publish({ name, key: `user:${userId}`, payload: { userId, sessionId: 's1', time: 7 } });
    const { items } = await messageCenter.list(userId, { category: 'SIGN_IN' });
    expect(items).toMatchObject([{ ...message, params: { sessionId: 's1' }, familyId: null, time: 7 }]);
    expect(await typesOf(fixture.owner.id)).toEqual([]);
  });

  test('publish a low battery once per alert level', async () => {
    for (const battery of [50, 20, 19, 21, 10, 9, 30, 20]) await publishStatus(battery);
    const { items } = await messageCenter.list(fixture.guardian.id, { category: 'BATTERY' });
    expect(items.map(({ params }) => params['battery']).toReversed()).toEqual([20, 10, 20]);
  });

  test('publish a lost connection and an empty battery, but not a deliberate shutdown', async () => {
    const shutDown = (cause: 'USER' | 'LOST_CONNECTION' | 'BATTERY', time: number) =>
      environment.publish({
        name: 'gateway.watch.shut-down',
        key: `watch:${fixture.did}`,
        payload: { did: fixture.did, time, cause },
      } as const);
    await shutDown('USER', 1);
    await shutDown('LOST_CONNECTION', 2);
    await shutDown('LOST_CONNECTION', 2);
    await shutDown('BATTERY', 3);
    expect(await typesOf(fixture.owner.id)).toEqual(['WATCH_BATTERY_EMPTY', 'WATCH_LOST_CONNECTION']);
  });

  test('publish when members join and leave, and delete the stored messages of a member who left', async () => {
    const guest = user();
    const original = fixture.family;
    const [owner, guardian] = original.members as [MemberSnapshot, MemberSnapshot];
    await fixture.change({ members: [owner, guardian, { ...guardian, userId: guest.id }] });
    expect(await typesOf(guest.id)).toEqual(['MEMBER_JOINED']);
    await fixture.change({ members: [owner, guardian] });
    expect(await typesOf(fixture.owner.id)).toEqual(['MEMBER_LEFT', 'MEMBER_JOINED']);
    expect(await messageCenter.list(guest.id, {})).toEqual({ items: [], nextCursor: null, unread: 0 });
    await environment.publishFamily(original);
    expect(await typesOf(fixture.owner.id)).toHaveLength(2);
  });

  test('publish the deletion and restoration of a child, and delete all messages about an erased child', async () => {
    const by = `user:${fixture.owner.id}` as const;
    await fixture.publish('userctx.child.deleted', { by });
    await fixture.publish('userctx.child.restored', { by });
    expect(await typesOf(fixture.guardian.id)).toEqual(['CHILD_RESTORED', 'CHILD_DELETED']);
    await fixture.publish('userctx.child.erased', {});
    expect(await typesOf(fixture.guardian.id)).toEqual([]);
  });

  test('publish a friend request to the deciding family, and the result to both families', async () => {
    const other = await createFamily();
    const sideOf = ({ family, cid, did }: FamilyFixture) => ({ familyId: family.familyId, cid, did });
    const publishChange = (state: 'APPLIED' | 'CONFIRMED' | 'ACCEPTED') =>
      environment.publish({
        name: 'userctx.friend-application.changed',
        key: fixture.family.familyId,
        payload: {
          applicationId: 'a1',
          from: sideOf(fixture),
          to: sideOf(other),
          state,
          time: environment.clock.now(),
        },
      } as const);
    for (const state of ['APPLIED', 'CONFIRMED', 'ACCEPTED'] as const) await publishChange(state);
    const statesOf = async (userId: string) =>
      (await messageCenter.list(userId, {})).items.map(({ params }) => params['state']);
    expect(await statesOf(fixture.owner.id)).toEqual(['ACCEPTED', 'APPLIED']);
    expect(await statesOf(other.owner.id)).toEqual(['ACCEPTED', 'CONFIRMED']);
  });

  test('publish alerts only to members with the ALERTS permission for the child', async () => {
    await publishStatus(15);
    expect(await typesOf(fixture.guardian.id)).toEqual(['BATTERY_LOW']);
    await fixture.changeGuardian({ permissions: ['CHAT'] });
    expect(await typesOf(fixture.guardian.id)).toEqual([]);
    await publishStatus(5);
    expect(await typesOf(fixture.guardian.id)).toEqual([]);
    expect(await typesOf(fixture.owner.id)).toHaveLength(2);
  });
});

describe('MessageCenterService', () => {
  test('returns every message on exactly one page', async () => {
    for (let time = 1; time <= 7; time += 1) await publishBinding();
    const listedIds: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await messageCenter.list(fixture.owner.id, { limit: 3, ...(cursor ? { cursor } : {}) });
      listedIds.push(...page.items.map(({ messageId }) => messageId));
      cursor = page.nextCursor;
    } while (cursor);
    expect(new Set(listedIds).size).toBe(7);
    await expect(messageCenter.list(fixture.owner.id, { cursor: 'nonsense' })).rejects.toThrow();
  });

  test('rejects another user’s message and an unknown id with MESSAGE_NOT_FOUND', async () => {
    await publishBinding();
    const [message] = (await messageCenter.list(fixture.owner.id, {})).items;
    const stranger = user();
    for (const messageId of [message?.messageId ?? '', randomUUID(), 'nonsense']) {
      for (const attempt of [
        messageCenter.markRead(stranger.id, { messageIds: [messageId] }),
        messageCenter.markRead(stranger.id, { through: messageId }),
        messageCenter.delete(stranger.id, { messageIds: [messageId] }),
      ]) {
        await expect(attempt).rejects.toMatchObject({ reason: 'MESSAGE_NOT_FOUND' });
      }
    }
    expect((await messageCenter.list(fixture.owner.id, {})).unread).toBe(1);
  });

  test('deletes messages whose retention period is over', async () => {
    await publishBinding();
    environment.clock.forward(CENTER_MESSAGE_RETENTION_MS - 60_000);
    await messageCenter.deleteExpired(environment.clock.now());
    expect(await typesOf(fixture.owner.id)).toHaveLength(1);
    environment.clock.forward(120_000);
    await messageCenter.deleteExpired(environment.clock.now());
    expect(await typesOf(fixture.owner.id)).toEqual([]);
  });
});

describe('SubscriptionService', () => {
  test('stores no messages of categories that the user has disabled', async () => {
    await subscriptions.update(fixture.owner.id, { categories: [{ category: 'WATCH', enabled: false }] });
    await publishBinding();
    expect(await typesOf(fixture.owner.id)).toEqual([]);
    expect(await noticesOf(fixture.owner.id)).toEqual([]);
    expect(await typesOf(fixture.guardian.id)).toEqual(['WATCH_BOUND']);
  });

  test('rejects an update that disables SOS, and quiet hours that start and end at the same minute', async () => {
    for (const disabled of [{ enabled: false }, { push: false }]) {
      const update = subscriptions.update(fixture.owner.id, { categories: [{ category: 'SOS', ...disabled }] });
      await expect(update).rejects.toMatchObject({ reason: 'VALIDATION_FAILED' });
    }
    const quietHours = { from: 60, to: 60, timeZone: 'UTC' };
    await expect(subscriptions.update(fixture.owner.id, { quietHours })).rejects.toMatchObject({
      reason: 'VALIDATION_FAILED',
    });
    expect(await subscriptions.get(fixture.owner.id)).toEqual({ categories: {}, quietHours: null });
  });

  test('updates only the fields that the request contains', async () => {
    const { id } = fixture.owner;
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
