import { describe, expect, test } from '@jest/globals';
import {
  chatMessageOf,
  connect,
  placeOf,
  withEarlierPage,
  withLaterPage,
  withMessage,
  withNewestPage,
  withRecalledMessage,
  type ChatMessage,
} from './history.js';

const message = (conversationSeq: number, changes: Partial<ChatMessage> = {}): ChatMessage => ({
  id: `m${conversationSeq}`,
  conversationSeq,
  kind: 'ChatTextMessage',
  time: conversationSeq * 1_000,
  from: { type: 'user', id: 'mother' },
  cid: null,
  payload: { text: `text ${conversationSeq}` },
  ...changes,
});
/** A page as the service returns it: the newest message first. */
const page = (from: number, to: number, nextCursor: string | null = null) => ({
  items: Array.from({ length: to - from + 1 }, (_, index) => message(to - index)),
  nextCursor,
});
const sequences = (history: { messages: readonly ChatMessage[] } | undefined) =>
  history?.messages.map(({ conversationSeq }) => conversationSeq);

describe('withNewestPage', () => {
  test('orders the first page by sequence number', () => {
    const history = withNewestPage(undefined, page(4, 6, 'c'));
    expect(sequences(history)).toEqual([4, 5, 6]);
    expect(history.earlierCursor).toBe('c');
  });

  test('keeps earlier messages and their cursor when the page overlaps', () => {
    const history = withNewestPage(withNewestPage(undefined, page(1, 5, 'first')), page(4, 8, 'second'));
    expect(sequences(history)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(history.earlierCursor).toBe('first');
  });

  test('keeps only the new page when messages between are missing', () => {
    const history = withNewestPage(withNewestPage(undefined, page(1, 3, 'first')), page(7, 9, 'second'));
    expect(sequences(history)).toEqual([7, 8, 9]);
    expect(history.earlierCursor).toBe('second');
  });

  test('replaces a message that was recalled meanwhile', () => {
    const recalled = { items: [message(2, { payload: null })], nextCursor: null };
    expect(withNewestPage(withNewestPage(undefined, page(1, 2)), recalled).messages[1]?.payload).toBeNull();
  });
});

test('withEarlierPage adds messages before the first one', () => {
  const history = withEarlierPage(withNewestPage(undefined, page(4, 6, 'c')), page(1, 3, null));
  expect(sequences(history)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(history.earlierCursor).toBeNull();
});

describe('withMessage', () => {
  const history = withNewestPage(undefined, page(1, 3));

  test('adds the next message', () => {
    expect(sequences(withMessage(history, message(4)))).toEqual([1, 2, 3, 4]);
  });

  test('adds the first message of a conversation', () => {
    expect(sequences(withMessage(withNewestPage(undefined, { items: [], nextCursor: null }), message(1)))).toEqual([1]);
  });

  test('inserts a message that arrives after a later one', () => {
    const withGap = { ...history, messages: [message(1), message(3)] };
    expect(sequences(withMessage(withGap, message(2)))).toEqual([1, 2, 3]);
  });

  test('returns undefined when messages before it are missing', () => {
    expect(withMessage(history, message(5))).toBeUndefined();
  });

  test('does not undo a recall when the message arrives again', () => {
    const recalled = withRecalledMessage(history, 'm2');
    expect(withMessage(recalled, message(2))?.messages[1]?.payload).toBeNull();
  });
});

describe('chatMessageOf', () => {
  const payload = { clientMsgId: '1', conversationId: 'c', text: 'Hi', conversationSeq: 7 };
  const envelope = { id: 'm', kind: 'ChatTextMessage' as const, seq: 9, time: 1, did: 5, cid: 'mia', payload };

  test('names the child as the sender of a message of its watch', () => {
    const message = chatMessageOf({ ...envelope, from: { type: 'watch', id: '5' } });
    expect(message).toMatchObject({ id: 'm', conversationSeq: 7, cid: 'mia', payload: { text: 'Hi' } });
  });

  test('names no child for a message of a member about a child', () => {
    expect(chatMessageOf({ ...envelope, from: { type: 'user', id: 'father' } }).cid).toBeNull();
  });
});

describe('a place', () => {
  const newest = withNewestPage(undefined, page(20, 22, 'newest'));

  test('is apart from the newest messages while messages are missing between them', () => {
    const place = placeOf(page(3, 7, 'place'), 'm5');
    expect(place).toMatchObject({ earlierCursor: 'place', openedAt: 'm5' });
    expect(connect(place, newest)).toBeUndefined();
  });

  test('grows by later pages until it reaches the newest messages', () => {
    const place = withLaterPage(placeOf(page(3, 7, 'place'), 'm5'), page(1, 19));
    expect(sequences(place)?.at(0)).toBe(3);
    const connected = connect(place, newest);
    expect(sequences(connected)).toEqual(Array.from({ length: 20 }, (_, index) => index + 3));
    expect(connected).toMatchObject({ earlierCursor: 'place', openedAt: 'm5' });
  });
});
