import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  MAX_UNREAD_COUNT,
  type MessageCenterChangePayload,
} from '@family-watch/domain/messages/contracts/message-center';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { MessageCenterService } from '../../../src/notifications/message-center/message-center.service.js';
import { node, query, serviceOf, useSharedGateway } from '../../support/suite-gateway.js';

useSharedGateway();

type ModelStep =
  | { action: 'publish'; source: number }
  | { action: 'read' | 'through' | 'delete'; messageIndex: number };

const anyStep: fc.Arbitrary<ModelStep> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ action: fc.constant('publish' as const), source: fc.nat(12) }) },
  {
    weight: 2,
    arbitrary: fc.record({ action: fc.constantFrom('read', 'through', 'delete'), messageIndex: fc.nat(8) }),
  },
);

/** Model of one user's messages, newest first. */
class UnreadModel {
  messages: { source: number; time: number; read: boolean }[] = [];
  readonly publishedSources = new Set<number>();

  get unread(): number {
    return this.messages.filter(({ read }) => !read).length;
  }

  /**
   * Returns whether the recipient must get a notice. Publishing the source of a deleted message again restores the
   * message without a new notice.
   */
  publish(source: number, time: number): boolean {
    if (this.messages.some((message) => message.source === source)) return false;
    this.messages.unshift({ source, time, read: false });
    const isFirst = !this.publishedSources.has(source);
    this.publishedSources.add(source);
    return isFirst;
  }
}

test('MessageCenterService reports an unread count that always equals the number of unread messages', async () => {
  const messageCenter = serviceOf(MessageCenterService);
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 30 }), async (steps) => {
      const userId = randomUUID();
      const model = new UnreadModel();
      const noticeCounts: number[] = [];
      let time = 1_000;
      for (const step of steps) {
        if (step.action === 'publish') {
          time += 1;
          const subject = { familyId: null, cid: null, did: null, audience: 'MEMBERS' } as const;
          const message = { ...subject, source: `${userId}:${step.source}`, type: 'SIGN_IN_NEW', params: {} } as const;
          await node.unitOfWork.run(() => messageCenter.publish({ ...message, time, userIds: [userId] }));
          if (model.publish(step.source, time)) noticeCounts.push(model.unread);
        } else if (model.messages.length > 0) {
          const index = step.messageIndex % model.messages.length;
          const { items } = await messageCenter.list(userId, { limit: 200 });
          const messageId = items[index]?.messageId ?? '';
          const response =
            step.action === 'delete'
              ? await messageCenter.delete(userId, { messageIds: [messageId] })
              : await messageCenter.markRead(
                  userId,
                  step.action === 'read' ? { messageIds: [messageId] } : { through: messageId },
                );
          if (step.action === 'delete') model.messages.splice(index, 1);
          else if (step.action === 'read') model.messages[index]!.read = true;
          else for (const message of model.messages.slice(index)) message.read = true;
          expect(response.unread).toBe(model.unread);
        }
        const { items, unread } = await messageCenter.list(userId, { limit: 200 });
        expect(unread).toBe(model.unread);
        expect(items.map((item) => [item.time, item.read])).toEqual(
          model.messages.map((message) => [message.time, message.read]),
        );
      }
      const notices = await query<{ payload: MessageCenterChangePayload }>(
        'SELECT payload FROM gateway.mailbox_entry WHERE principal = $1 ORDER BY seq',
        [`user:${userId}`],
      );
      expect(notices.map(({ payload }) => payload.unread)).toEqual(noticeCounts);
    }),
    { numRuns: propertyRuns(8) },
  );
});

test('MessageCenterService counts at most 100 unread messages of a person who never reads them', async () => {
  const messageCenter = serviceOf(MessageCenterService);
  const userId = randomUUID();
  const publish = (source: string) =>
    messageCenter.publish({
      ...{ familyId: null, cid: null, did: null, audience: 'MEMBERS', type: 'SIGN_IN_NEW', params: {}, time: 1_000 },
      ...{ source: `${userId}:${source}`, userIds: [userId] },
    });
  await node.unitOfWork.run(async () => {
    for (let index = 0; index < MAX_UNREAD_COUNT + 5; index++) await publish(`first ${index}`);
  });
  await node.unitOfWork.run(() => publish('last'));
  const counts = (
    await query<{ payload: MessageCenterChangePayload }>(
      'SELECT payload FROM gateway.mailbox_entry WHERE principal = $1 ORDER BY seq',
      [`user:${userId}`],
    )
  ).map(({ payload }) => payload.unread);
  expect(counts).toEqual(
    Array.from({ length: MAX_UNREAD_COUNT + 6 }, (_, index) => Math.min(index + 1, MAX_UNREAD_COUNT)),
  );
  expect((await messageCenter.list(userId, { limit: 1 })).unread).toBe(MAX_UNREAD_COUNT);
});
