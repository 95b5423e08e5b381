import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/message-kinds';
import { DeliveryAckTracker, mergeDeliveryAcks, type DeliveryAck } from './delivery-ack-tracker.js';

const READER = 'user:reader';

function chatMessage(
  seq: number,
  conversationId: string,
  conversationSeq: number,
  senderId = 'other',
): MessageEnvelope {
  const payload = { clientMsgId: `m${seq}`, conversationId, conversationSeq, text: 'x' };
  return { id: `m${seq}`, kind: 'ChatTextMessage', seq, time: 1, from: { type: 'user', id: senderId }, payload };
}

/**
 * Generates mailboxes that contain a message of conversation a, of conversation b, or no chat message at each sequence
 * number.
 */
const mailbox = fc.array(fc.constantFrom('a', 'b', undefined), { minLength: 1, maxLength: 40 }).map((conversations) => {
  const heads: Record<string, number> = {};
  return conversations.map((conversationId, index) => {
    if (conversationId === undefined) return undefined;
    heads[conversationId] = (heads[conversationId] ?? 0) + 1;
    return chatMessage(index + 1, conversationId, heads[conversationId]);
  });
});

/** Returns the highest sequence number per conversation in a range of mailbox messages, as the expected result. */
function expectedProgress(messages: readonly (MessageEnvelope | undefined)[], after: number, seq: number) {
  const progress = new Map<string, number>();
  for (const message of messages.slice(after, seq)) {
    if (!message) continue;
    const { conversationId, conversationSeq } = message.payload as { conversationId: string; conversationSeq: number };
    progress.set(conversationId, conversationSeq);
  }
  return progress;
}

const seqsOf = (ack: DeliveryAck) =>
  new Map([...(ack.recordedDelivery?.conversations ?? [])].map(([id, { conversationSeq }]) => [id, conversationSeq]));

describe('DeliveryAckTracker', () => {
  test('returns for each acknowledgement the highest acknowledged sequence number of each conversation', () => {
    fc.assert(
      fc.property(
        mailbox,
        fc.array(fc.nat(45), { maxLength: 10 }),
        fc.integer({ min: 1, max: 7 }),
        (all, acks, size) => {
          const tracker = new DeliveryAckTracker(READER, 0);
          let sent = 0;
          let after = 0;
          for (const ack of acks) {
            const through = Math.min(all.length, sent + size);
            const messages = all.slice(sent, through).filter((message) => message !== undefined);
            tracker.add({ after: sent, through, messages });
            sent = through;
            const recordedDelivery = tracker.acknowledge(ack);
            if (ack <= after || ack > sent) {
              expect(recordedDelivery).toBeUndefined();
              continue;
            }
            expect(recordedDelivery?.after).toBe(after);
            expect(seqsOf({ principal: READER, seq: ack, recordedDelivery })).toEqual(
              expectedProgress(all, after, ack),
            );
            after = ack;
          }
        },
      ),
    );
  });

  test('omits messages that the reader itself sent', () => {
    const tracker = new DeliveryAckTracker(READER, 0);
    tracker.add({ after: 0, through: 2, messages: [chatMessage(1, 'a', 1, 'reader'), chatMessage(2, 'b', 7)] });
    expect([...(tracker.acknowledge(2)?.conversations.keys() ?? [])]).toEqual(['b']);
  });

  test('discards the recorded messages of a session that leaves more than 500 conversation messages unacknowledged', () => {
    const tracker = new DeliveryAckTracker(READER, 0);
    const messages = Array.from({ length: 501 }, (_, index) => chatMessage(index + 1, 'a', index + 1));
    tracker.add({ after: 0, through: 501, messages });
    expect(tracker.acknowledge(400)).toBeUndefined();
    tracker.add({ after: 501, through: 502, messages: [chatMessage(502, 'a', 502)] });
    expect(tracker.acknowledge(502)).toMatchObject({ after: 501 });
  });
});

describe('mergeDeliveryAcks', () => {
  test('returns the progress over both ranges, or no progress if there is a gap between the ranges', () => {
    const range = fc.tuple(fc.nat(40), fc.nat(40)).map(([one, other]) => [Math.min(one, other), Math.max(one, other)]);
    fc.assert(
      fc.property(mailbox, range, range, (all, [a = 0, b = 0], [c = 0, d = 0]) => {
        const ackOf = (after: number, seq: number): DeliveryAck => {
          const progress = [...expectedProgress(all, after, seq)].map(
            ([id, conversationSeq]) => [id, { conversationSeq, cid: undefined }] as const,
          );
          return { principal: READER, seq, recordedDelivery: { after, conversations: new Map(progress) } };
        };
        const merged = mergeDeliveryAcks(ackOf(a, b), ackOf(c, d));
        expect(merged.seq).toBe(Math.max(b, d));
        expect(merged.recordedDelivery === undefined).toBe(a > d || c > b);
        if (merged.recordedDelivery)
          expect(seqsOf(merged)).toEqual(expectedProgress(all, Math.min(a, c), Math.max(b, d)));
      }),
    );
  });
});
