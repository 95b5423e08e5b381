import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { MessageCenterChangePayload } from '@family-watch/domain/messages/contracts/message-center';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { CenterMessageService } from '../../../src/contexts/message-center/center-message.service.js';
import { MessageCenterService } from '../../../src/contexts/message-center/message-center.service.js';
import type { GatewayNode } from '../../support/gateway-node.js';
import { GatewayTestEnvironment } from '../../support/gateway-test-environment.js';

let world: GatewayTestEnvironment;
let node: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.shared();
  node = await world.addNode();
});
afterAll(() => world.stop());

type Step = { do: 'tell'; source: number } | { do: 'read' | 'through' | 'delete'; which: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tell' as const), source: fc.nat(12) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('read', 'through', 'delete'), which: fc.nat(8) }),
  },
);

/** What the centre ought to hold for one person, newest first. */
class Model {
  messages: { source: number; time: number; read: boolean }[] = [];
  readonly everTold = new Set<number>();

  get unread(): number {
    return this.messages.filter(({ read }) => !read).length;
  }

  /** A source that was deleted and is told again is there again, but its notice was sent before. */
  tell(source: number, time: number): boolean {
    if (this.messages.some((message) => message.source === source)) return false;
    this.messages.unshift({ source, time, read: false });
    const isFirst = !this.everTold.has(source);
    this.everTold.add(source);
    return isFirst;
  }
}

test('the number of unread messages is always that of the messages that are unread', async () => {
  const center = node.app.get(MessageCenterService, { strict: false });
  const inbox = node.app.get(CenterMessageService, { strict: false });
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 30 }), async (run) => {
      const userId = randomUUID();
      const model = new Model();
      const said: number[] = [];
      let time = 1_000;
      for (const step of run) {
        if (step.do === 'tell') {
          time += 1;
          const subject = { familyId: null, cid: null, did: null, audience: 'MEMBERS' } as const;
          const news = { ...subject, source: `${userId}:${step.source}`, type: 'SIGN_IN_NEW', params: {} } as const;
          await node.unitOfWork.run(() => center.publish({ ...news, time, userIds: [userId] }));
          if (model.tell(step.source, time)) said.push(model.unread);
        } else if (model.messages.length > 0) {
          const index = step.which % model.messages.length;
          const { items } = await inbox.list(userId, { limit: 200 });
          const messageId = items[index]?.messageId ?? '';
          const answer =
            step.do === 'delete'
              ? await inbox.delete(userId, { messageIds: [messageId] })
              : await inbox.read(userId, step.do === 'read' ? { messageIds: [messageId] } : { through: messageId });
          if (step.do === 'delete') model.messages.splice(index, 1);
          else if (step.do === 'read') model.messages[index]!.read = true;
          else for (const message of model.messages.slice(index)) message.read = true;
          expect(answer.unread).toBe(model.unread);
        }
        const { items, unread } = await inbox.list(userId, { limit: 200 });
        expect(unread).toBe(model.unread);
        expect(items.map((item) => [item.time, item.read])).toEqual(
          model.messages.map((message) => [message.time, message.read]),
        );
      }
      const notices = await node.unitOfWork.executor.query<{ payload: MessageCenterChangePayload }>(
        'SELECT payload FROM gateway.mailbox_message WHERE principal = $1 ORDER BY seq',
        [`user:${userId}`],
      );
      expect(notices.map(({ payload }) => payload.unread)).toEqual(said);
    }),
    { numRuns: propertyRuns(8) },
  );
});
