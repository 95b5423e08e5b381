import { describe, expect, test } from '@jest/globals';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/message-kinds';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import { OutboundQueue } from './outbound-queue.js';

const message = (id: string, seq?: number): MessageEnvelope => ({
  id,
  kind: 'ContactsChangeNoticeMessage',
  ...(seq === undefined ? {} : { seq }),
  time: 1,
  from: SYSTEM_SENDER,
  payload: {},
});

const alwaysAllowed = () => true;

describe('OutboundQueue', () => {
  test('returns consecutive ranges without a gap', () => {
    const queue = new OutboundQueue(4);
    queue.addRange({ addedThrough: 6, messages: [message('a', 5), message('b', 6)] });
    expect(queue.drain()).toMatchObject({ after: 4, through: 6 });
    queue.addRange({ addedThrough: 9, messages: [message('c', 9)] });
    expect(queue.drain()).toMatchObject({ after: 6, through: 9 });
    expect(queue.drain()).toBeUndefined();
  });

  test('merges ranges that were added before draining into one frame', () => {
    const queue = new OutboundQueue(0);
    queue.addRange({ addedThrough: 1, messages: [message('a', 1)] });
    queue.addRange({ addedThrough: 2, messages: [message('b', 2)] });
    expect(queue.drain()).toEqual({ after: 0, through: 2, messages: [message('a', 1), message('b', 2)] });
  });

  test('returns an empty range together with the next range that has messages', () => {
    const queue = new OutboundQueue(0);
    queue.addRange({ addedThrough: 5, messages: [] });
    expect(queue.drain()).toBeUndefined();
    expect(queue.addedThrough).toBe(5);
    queue.addRange({ addedThrough: 6, messages: [message('f', 6)] });
    expect(queue.drain()).toMatchObject({ after: 0, through: 6 });
  });

  test('omits the range (`after`, `through`) from a frame without durable messages', () => {
    const queue = new OutboundQueue(3);
    queue.addEphemeral(message('e'));
    expect(queue.drain()).toEqual({ messages: [message('e')] });
  });

  test('retains only the latest value of each key', () => {
    const queue = new OutboundQueue(0);
    queue.addLatest('c1', message('old'), alwaysAllowed);
    queue.addLatest('c2', message('other'), alwaysAllowed);
    queue.addLatest('c1', message('new'), alwaysAllowed);
    expect(queue.drain()).toEqual({ messages: [message('other'), message('new')] });
  });

  test('drops a value if the recipient may no longer see it at the time when the queue is drained', () => {
    const queue = new OutboundQueue(0);
    let member = true;
    queue.addLatest('c1', message('position'), () => member);
    member = false;
    expect(queue.drain()).toBeUndefined();
    expect(queue.isEmpty).toBe(true);
  });

  test('drops the oldest ephemeral messages when a client is too slow', () => {
    const queue = new OutboundQueue(0);
    for (let each = 0; each < 500; each += 1) queue.addEphemeral(message(String(each)));
    const ids = queue.drain()?.messages.map(({ id }) => id);
    expect(ids).toHaveLength(200);
    expect(ids?.at(-1)).toBe('499');
  });
});
