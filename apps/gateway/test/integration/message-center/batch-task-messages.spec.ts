import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { DomainEvents } from '@family-watch/domain/events';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { MessageCenterService } from '../../../src/notifications/message-center/message-center.service.js';
import { SubscriptionService } from '../../../src/notifications/subscriptions/subscription.service.js';
import { FamilyFixture } from '../../support/family-fixture.js';
import { connect, createFamily } from '../../support/clients.js';
import { environment, node, query, serviceOf, useSharedGateway } from '../../support/suite-gateway.js';

type BatchTaskChange = DomainEvents['mcdisk.batch-task.changed'];
const NOTICE_KIND = 'MessageCenterChangeNoticeMessage';

describe('MessageCenterEventHandlers.publishBatchTaskProgress', () => {
  useSharedGateway();
  let messageCenter: MessageCenterService;
  let fixture: FamilyFixture;

  beforeAll(() => {
    messageCenter = serviceOf(MessageCenterService);
  });
  beforeEach(async () => {
    fixture = await createFamily();
  });

  const createPayload = (change: Partial<BatchTaskChange>): BatchTaskChange => ({
    cloudID: fixture.family.familyId,
    taskID: 't1',
    taskType: 2,
    by: `user:${fixture.owner.id}`,
    state: 'RUNNING',
    total: 10,
    done: 0,
    failed: 0,
    time: 1_000,
    ...change,
  });

  const publishChange = (change: Partial<BatchTaskChange>, id?: string) =>
    environment.publish(
      { name: 'mcdisk.batch-task.changed', key: fixture.family.familyId, payload: createPayload(change) },
      id,
    );

  const publishTogether = (changes: readonly Partial<BatchTaskChange>[]) => {
    const name = 'mcdisk.batch-task.changed' as const;
    const key = fixture.family.familyId;
    return environment.publishAll(
      key,
      changes.map((change) => ({ name, key, payload: createPayload(change) })),
    );
  };

  const storedNotices = (userId: string) =>
    query<{ unread: number; messageId: string }>(
      `SELECT (payload->>'unread')::int AS unread, payload->>'messageId' AS "messageId" FROM gateway.mailbox_entry
       WHERE principal = $1 AND kind = $2 ORDER BY seq`,
      [`user:${userId}`, NOTICE_KIND],
    );

  test('updates one center message of the member who started the task, and publishes nothing to others', async () => {
    await publishChange({ done: 0, time: 1_000 });
    await publishChange({ done: 6, time: 3_000 });
    await publishChange({ done: 9, failed: 1, state: 'DONE', time: 4_000 });
    const { items, unread } = await messageCenter.list(fixture.owner.id, {});
    const params = {
      cloudID: fixture.family.familyId,
      taskID: 't1',
      taskType: 2,
      state: 'DONE',
      total: 10,
      done: 9,
      failed: 1,
    };
    expect(items).toMatchObject([
      { type: 'CLOUD_TASK_CHANGED', category: 'ALBUM', severity: 'INFO', time: 4_000, read: false, params },
    ]);
    expect(unread).toBe(1);
    expect((await messageCenter.list(fixture.guardian.id, {})).items).toEqual([]);
    expect(await storedNotices(fixture.owner.id)).toEqual(
      Array.from({ length: 3 }, () => ({ unread: 1, messageId: items[0]?.messageId })),
    );
  });

  test('publishes a change that arrives before the first snapshot of the family after the snapshot was received', async () => {
    fixture = new FamilyFixture(environment);
    await publishChange({ done: 1 });
    expect(await storedNotices(fixture.owner.id)).toEqual([]);
    await environment.publishFamily(fixture.family);
    await waitUntil('the message', async () => (await messageCenter.list(fixture.owner.id, {})).items.length === 1);
  });

  test('sends every notice to a connected session, and only the last notice to an offline session', async () => {
    const connected = await connect(fixture.owner);
    await publishChange({ done: 1, time: 1_000 });
    await publishChange({ done: 10, state: 'DONE', time: 2_000 });
    await connected.waitFor(
      () => connected.durable.filter(({ kind }) => kind === NOTICE_KIND).length === 2,
      'two notices',
    );
    const reconnected = await connect({ ...fixture.owner, sessionId: randomUUID() }, node, { last: 0 });
    await reconnected.waitFor(() => reconnected.durable.some(({ kind }) => kind === NOTICE_KIND), 'the last notice');
    expect(reconnected.durable.filter(({ kind }) => kind === NOTICE_KIND)).toHaveLength(1);
  });

  test('sends one notice per task for several changes in one transaction, and ignores an older change', async () => {
    await publishTogether([
      { done: 3, time: 1_000 },
      { done: 10, state: 'DONE', time: 2_000 },
      { taskID: 't2', done: 1, time: 2_000 },
    ]);
    await publishChange({ done: 5, time: 1_500 });
    const { items, unread } = await messageCenter.list(fixture.owner.id, {});
    expect(items.map(({ params }) => [params['taskID'], params['done']]).toSorted()).toEqual([
      ['t1', 10],
      ['t2', 1],
    ]);
    expect(unread).toBe(2);
    expect(await storedNotices(fixture.owner.id)).toHaveLength(2);
  });

  test('keeps a message marked as read when it is updated, and ignores a repeated event', async () => {
    await publishChange({ done: 1, time: 1_000 });
    const [message] = (await messageCenter.list(fixture.owner.id, {})).items;
    await messageCenter.markRead(fixture.owner.id, { messageIds: [message?.messageId ?? ''] });
    const id = randomUUID();
    await publishChange({ done: 10, state: 'DONE', time: 2_000 }, id);
    await query('DELETE FROM gateway.inbox WHERE event_id = $1', [id]);
    await publishChange({ done: 10, state: 'DONE', time: 2_000 }, id);
    expect(await messageCenter.list(fixture.owner.id, {})).toMatchObject({
      unread: 0,
      items: [{ read: true, time: 2_000 }],
    });
    expect((await storedNotices(fixture.owner.id)).map(({ unread }) => unread)).toEqual([1, 0]);
  });

  test.each<[string, () => PrincipalKey]>([
    ['a watch, which polls the task', () => `watch:${fixture.did}`],
    ['a user who has disabled the ALBUM category', () => `user:${fixture.guardian.id}`],
  ])('publishes nothing to %s', async (_, createStarter) => {
    const subscriptions = serviceOf(SubscriptionService);
    await subscriptions.update(fixture.guardian.id, { categories: [{ category: 'ALBUM', enabled: false }] });
    await publishChange({ by: createStarter() });
    for (const { id } of [fixture.owner, fixture.guardian])
      expect((await messageCenter.list(id, {})).items).toEqual([]);
  });

  test('hides the message from a member who has left the family', async () => {
    await publishChange({ by: `user:${fixture.guardian.id}` });
    await fixture.removeGuardian();
    expect((await messageCenter.list(fixture.guardian.id, {})).items).toEqual([]);
  });
});
