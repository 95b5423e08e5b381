import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { DomainEvents } from '@family-watch/domain/events';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CenterMessageService } from '../../../src/contexts/message-center/center-message.service.js';
import { SubscriptionService } from '../../../src/contexts/message-center/subscription.service.js';
import type { GatewayNode } from '../../support/gateway-node.js';
import { GatewayTestEnvironment, nextVersion } from '../../support/gateway-test-environment.js';
import { FamilyFixture } from '../../support/family-fixture.js';

type Changed = DomainEvents['mcdisk.batch-task.changed'];
const KIND = 'MessageCenterChangeNoticeMessage';

describe('a task over many files', () => {
  let world: GatewayTestEnvironment;
  let node: GatewayNode;
  let inbox: CenterMessageService;
  let home: FamilyFixture;

  beforeAll(async () => {
    world = await GatewayTestEnvironment.shared();
    node = await world.addNode();
    inbox = node.app.get(CenterMessageService, { strict: false });
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    home = await FamilyFixture.in(world);
  });

  const factOf = (change: Partial<Changed>): Changed => ({
    cloudID: home.family.familyId,
    taskID: 't1',
    taskType: 2,
    by: `user:${home.owner.id}`,
    state: 'RUNNING',
    total: 10,
    done: 0,
    failed: 0,
    time: 1_000,
    ...change,
  });

  const changed = (change: Partial<Changed>, id?: string) =>
    world.publish({ name: 'mcdisk.batch-task.changed', key: home.family.familyId, payload: factOf(change) }, id);

  const changedAtOnce = (changes: readonly Partial<Changed>[]) => {
    const name = 'mcdisk.batch-task.changed' as const;
    const key = home.family.familyId;
    return world.publishAll(
      key,
      changes.map((change) => ({ name, key, payload: factOf(change) })),
    );
  };

  const storedNotices = (userId: string) =>
    node.unitOfWork.executor.query<{ unread: number; messageId: string }>(
      `SELECT (payload->>'unread')::int AS unread, payload->>'messageId' AS "messageId" FROM gateway.mailbox_message
       WHERE principal = $1 AND kind = $2 ORDER BY seq`,
      [`user:${userId}`, KIND],
    );

  test('has one message that is brought up to date, for who began it and nobody else', async () => {
    await changed({ done: 0, time: 1_000 });
    await changed({ done: 6, time: 3_000 });
    await changed({ done: 9, failed: 1, state: 'DONE', time: 4_000 });
    const { items, unread } = await inbox.list(home.owner.id, {});
    const params = {
      cloudID: home.family.familyId,
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
    expect((await inbox.list(home.guardian.id, {})).items).toEqual([]);
    expect(await storedNotices(home.owner.id)).toEqual(
      Array.from({ length: 3 }, () => ({ unread: 1, messageId: items[0]?.messageId })),
    );
  });

  test('is heard at the socket each time; whoever was away hears of the end only', async () => {
    const present = await world.connect(node, home.owner);
    await changed({ done: 1, time: 1_000 });
    await changed({ done: 10, state: 'DONE', time: 2_000 });
    await present.waitFor(() => present.durable.filter(({ kind }) => kind === KIND).length === 2, 'two notices');
    const late = await world.connect(node, { ...home.owner, sessionId: randomUUID() }, { last: 0 });
    await late.waitFor(() => late.durable.some(({ kind }) => kind === KIND), 'the last notice');
    expect(late.durable.filter(({ kind }) => kind === KIND)).toHaveLength(1);
  });

  test('several changes of one unit are one notice, and an older one changes nothing', async () => {
    await changedAtOnce([
      { done: 3, time: 1_000 },
      { done: 10, state: 'DONE', time: 2_000 },
      { taskID: 't2', done: 1, time: 2_000 },
    ]);
    await changed({ done: 5, time: 1_500 });
    const { items, unread } = await inbox.list(home.owner.id, {});
    expect(items.map(({ params }) => [params['taskID'], params['done']]).toSorted()).toEqual([
      ['t1', 10],
      ['t2', 1],
    ]);
    expect(unread).toBe(2);
    expect(await storedNotices(home.owner.id)).toHaveLength(2);
  });

  test('stays read when it goes on, and the same event again tells nothing', async () => {
    await changed({ done: 1, time: 1_000 });
    const [message] = (await inbox.list(home.owner.id, {})).items;
    await inbox.read(home.owner.id, { messageIds: [message?.messageId ?? ''] });
    const id = randomUUID();
    await changed({ done: 10, state: 'DONE', time: 2_000 }, id);
    await node.unitOfWork.executor.query('DELETE FROM gateway.inbox');
    await changed({ done: 10, state: 'DONE', time: 2_000 }, id);
    expect(await inbox.list(home.owner.id, {})).toMatchObject({ unread: 0, items: [{ read: true, time: 2_000 }] });
    expect((await storedNotices(home.owner.id)).map(({ unread }) => unread)).toEqual([1, 0]);
  });

  test.each<[string, () => PrincipalKey]>([
    ['a watch, which asks', () => `watch:${home.did}`],
    ['somebody who wants to hear nothing of albums', () => `user:${home.guardian.id}`],
  ])('is not told to %s', async (_, who) => {
    const subscriptions = node.app.get(SubscriptionService, { strict: false });
    await subscriptions.update(home.guardian.id, { categories: [{ category: 'ALBUM', enabled: false }] });
    await changed({ by: who() });
    for (const { id } of [home.owner, home.guardian]) expect((await inbox.list(id, {})).items).toEqual([]);
  });

  test('is not shown to somebody who has left', async () => {
    const [owner] = home.family.members;
    if (!owner) throw new Error('No owner');
    await changed({ by: `user:${home.guardian.id}` });
    await world.familyChanged(nextVersion(home.family, { members: [owner] }));
    expect((await inbox.list(home.guardian.id, {})).items).toEqual([]);
  });
});
