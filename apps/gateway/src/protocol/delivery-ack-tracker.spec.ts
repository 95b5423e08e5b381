import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/envelope';
import { DeliveryAckTracker, mergeDeliveryAcks } from './delivery-ack-tracker.js';
import type { DeliveryAck } from './delivery-ack-tracker.js';

const READER = 'user:reader';

function said(seq: number, conversationId: string, conversationSeq: number, by = 'other'): MessageEnvelope {
  const payload = { clientMsgId: `m${seq}`, conversationId, conversationSeq, text: 'x' };
  return { id: `m${seq}`, kind: 'ChatTextMessage', seq, time: 1, from: { type: 'user', id: by }, payload };
}

/** A mailbox: at each number something of a conversation, or something else. */
const mailbox = fc.array(fc.constantFrom('a', 'b', undefined), { minLength: 1, maxLength: 40 }).map((conversations) => {
  const heads: Record<string, number> = {};
  return conversations.map((conversationId, index) => {
    if (conversationId === undefined) return undefined;
    heads[conversationId] = (heads[conversationId] ?? 0) + 1;
    return said(index + 1, conversationId, heads[conversationId]);
  });
});

/** What the mailbox itself says of a range. */
function heardIn(messages: readonly (MessageEnvelope | undefined)[], after: number, seq: number) {
  const heard = new Map<string, number>();
  for (const message of messages.slice(after, seq)) {
    if (!message) continue;
    const { conversationId, conversationSeq } = message.payload as { conversationId: string; conversationSeq: number };
    heard.set(conversationId, conversationSeq);
  }
  return heard;
}

const numbersOf = (arrival: DeliveryAck) =>
  new Map([...(arrival.known?.conversations ?? [])].map(([id, { conversationSeq }]) => [id, conversationSeq]));

describe('DeliveryAckTracker', () => {
  test('knows of every acknowledgement what the mailbox would say of it', () => {
    fc.assert(
      fc.property(
        mailbox,
        fc.array(fc.nat(45), { maxLength: 10 }),
        fc.integer({ min: 1, max: 7 }),
        (all, acks, size) => {
          const log = new DeliveryAckTracker(READER, 0);
          let sent = 0;
          let after = 0;
          for (const ack of acks) {
            const through = Math.min(all.length, sent + size);
            const messages = all.slice(sent, through).filter((message) => message !== undefined);
            log.add({ after: sent, through, messages });
            sent = through;
            const known = log.acknowledge(ack);
            if (ack <= after || ack > sent) {
              expect(known).toBeUndefined();
              continue;
            }
            expect(known?.after).toBe(after);
            expect(numbersOf({ principal: READER, seq: ack, known })).toEqual(heardIn(all, after, ack));
            after = ack;
          }
        },
      ),
    );
  });

  test('leaves out what the reader said itself', () => {
    const log = new DeliveryAckTracker(READER, 0);
    log.add({ after: 0, through: 2, messages: [said(1, 'a', 1, 'reader'), said(2, 'b', 7)] });
    expect([...(log.acknowledge(2)?.conversations.keys() ?? [])]).toEqual(['b']);
  });

  test('a session that acknowledges nothing is not remembered without bound', () => {
    const log = new DeliveryAckTracker(READER, 0);
    const messages = Array.from({ length: 501 }, (_, index) => said(index + 1, 'a', index + 1));
    log.add({ after: 0, through: 501, messages });
    expect(log.acknowledge(400)).toBeUndefined();
    log.add({ after: 501, through: 502, messages: [said(502, 'a', 502)] });
    expect(log.acknowledge(502)).toMatchObject({ after: 501 });
  });
});

describe('mergeDeliveryAcks', () => {
  test('says what the mailbox says of both, or that it does not know', () => {
    const range = fc.tuple(fc.nat(40), fc.nat(40)).map(([one, other]) => [Math.min(one, other), Math.max(one, other)]);
    fc.assert(
      fc.property(mailbox, range, range, (all, [a = 0, b = 0], [c = 0, d = 0]) => {
        const arrivalOf = (after: number, seq: number): DeliveryAck => {
          const heard = [...heardIn(all, after, seq)].map(
            ([id, conversationSeq]) => [id, { conversationSeq, cid: undefined }] as const,
          );
          return { principal: READER, seq, known: { after, conversations: new Map(heard) } };
        };
        const joined = mergeDeliveryAcks(arrivalOf(a, b), arrivalOf(c, d));
        expect(joined.seq).toBe(Math.max(b, d));
        expect(joined.known === undefined).toBe(a > d || c > b);
        if (joined.known) expect(numbersOf(joined)).toEqual(heardIn(all, Math.min(a, c), Math.max(b, d)));
      }),
    );
  });
});
