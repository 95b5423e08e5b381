import { describe, expect, test } from '@jest/globals';
import { checkHistory } from './check-history.js';
import type { History, ReceivedMessage, SessionEvent, SessionHistory } from './history.js';

const MESSAGE_COUNT = 6;

const createMessage = (number: number): ReceivedMessage => ({
  id: `id-${number}`,
  seq: number + 10,
  conversationId: 'c',
  conversationSeq: number,
  clientMsgId: `m-${number}`,
  isTextIntact: true,
});

/** Returns a valid history: two readers of one conversation, of which the first reconnects once. */
function validHistory(): History {
  const numbers = Array.from({ length: MESSAGE_COUNT }, (_, index) => index + 1);
  const frame = (from: number, to: number): SessionEvent => ({
    type: 'frame',
    range: { after: from + 9, through: to + 10 },
    messages: numbers.slice(from - 1, to).map(createMessage),
  });
  const session = (name: string, events: SessionEvent[]): SessionHistory => ({
    session: name,
    conversations: ['c'],
    events,
  });
  return {
    sent: numbers.map((number) => ({
      sender: 's',
      clientMsgId: `m-${number}`,
      conversationId: 'c',
      acknowledgements: [{ id: `id-${number}`, conversationSeq: number }],
    })),
    sessions: [
      session('a', [
        { type: 'hello', head: 10, reset: false },
        frame(1, 2),
        frame(3, 3),
        { type: 'hello', head: 16, last: 13, reset: false },
        frame(4, 6),
      ]),
      session('b', [{ type: 'hello', head: 10, reset: false }, frame(1, 6)]),
    ],
  };
}

function frameOf(history: History, session: number, frame: number) {
  const frames = history.sessions[session]!.events.filter((event) => event.type === 'frame');
  return frames[frame]!;
}

function kindsIn(history: History): string[] {
  return [...new Set(checkHistory(history).map(({ kind }) => kind))];
}

test('checkHistory returns no violations for a valid history', () => {
  expect(checkHistory(validHistory())).toEqual([]);
});

test('checkHistory accepts an unacknowledged message whether it is delivered or not', () => {
  const history = validHistory();
  history.sent[5]!.acknowledgements = [];
  expect(checkHistory(history)).toEqual([]);
  for (const [session, frame] of [
    [0, 2],
    [1, 0],
  ] as const) {
    frameOf(history, session, frame).messages.pop();
  }
  expect(checkHistory(history)).toEqual([]);
});

test('checkHistory accepts a message that was resent and acknowledged twice with the same id', () => {
  const history = validHistory();
  history.sent[0]!.acknowledgements.push({ ...history.sent[0]!.acknowledgements[0]! });
  expect(checkHistory(history)).toEqual([]);
});

describe('checkHistory with a planted violation', () => {
  const plant = (condition: string, kinds: string[], change: (history: History) => unknown) =>
    test(`reports ${kinds.join(' and ')} when ${condition}`, () => {
      const history = validHistory();
      change(history);
      expect(kindsIn(history)).toEqual(kinds);
    });

  plant('one session does not receive an acknowledged message', ['lost'], (history) =>
    frameOf(history, 0, 1).messages.pop(),
  );
  plant('a session receives no message', ['lost'], (history) => history.sessions[1]!.events.pop());
  plant('a message is redelivered in a later range', ['gap', 'duplicate'], (history) =>
    frameOf(history, 0, 2).messages.unshift(createMessage(3)),
  );
  plant('a message is redelivered with a new sequence number', ['duplicate'], (history) => {
    const frame = frameOf(history, 1, 0);
    frame.messages.push({ ...createMessage(1), seq: 17 });
    frame.range = { after: 10, through: 17 };
  });
  plant('a resent message is acknowledged with a second id', ['duplicate'], (history) =>
    history.sent[0]!.acknowledgements.push({ id: 'id-7', conversationSeq: 7 }),
  );
  plant('a range and its messages are missing', ['gap', 'lost'], (history) => history.sessions[0]!.events.splice(2, 1));
  plant('a range ends after the start of the next range', ['gap'], (history) => {
    frameOf(history, 0, 0).range = { after: 10, through: 13 };
  });
  plant('a sequence number is outside its range', ['gap'], (history) => {
    const frame = frameOf(history, 1, 0);
    frame.messages[5] = { ...frame.messages[5]!, seq: 99 };
  });
  plant('a client reconnects with a cursor beyond the messages that it received', ['gap'], (history) => {
    const hello = history.sessions[0]!.events[3]!;
    Object.assign(hello, { last: 12 });
  });
  plant('durable messages have no range', ['gap'], (history) => {
    delete frameOf(history, 1, 0).range;
  });
  plant('the messages of a frame are reversed', ['order'], (history) => frameOf(history, 1, 0).messages.reverse());
  plant('two sessions see two messages in different order', ['order', 'disagreement'], (history) => {
    const { messages } = frameOf(history, 1, 0);
    messages[0] = { ...createMessage(2), seq: 11 };
    messages[1] = { ...createMessage(1), seq: 12 };
    messages[2] = { ...createMessage(3), conversationSeq: 9 };
    messages.splice(3, 3, ...[4, 5, 6].map((number) => ({ ...createMessage(number), conversationSeq: number + 9 })));
  });
  plant('acknowledgement and delivery have different sequence numbers', ['disagreement'], (history) => {
    history.sent[5]!.acknowledgements[0]!.conversationSeq = 60;
  });
  plant('two messages of a conversation have the same sequence number', ['disagreement'], (history) => {
    history.sent.push({
      sender: 's',
      clientMsgId: 'm-7',
      conversationId: 'elsewhere',
      acknowledgements: [{ id: 'id-7', conversationSeq: 1 }],
    });
    history.sent.push({
      sender: 's',
      clientMsgId: 'm-8',
      conversationId: 'elsewhere',
      acknowledgements: [{ id: 'id-8', conversationSeq: 1 }],
    });
  });
  plant('a delivered message was never sent', ['forged'], (history) => history.sent.splice(2, 1));
  plant('the delivered text differs from the sent text', ['forged'], (history) => {
    frameOf(history, 1, 0).messages[0]!.isTextIntact = false;
  });
  plant('a message is delivered in another conversation', ['forged'], (history) => {
    for (const [session, frame] of [
      [0, 0],
      [1, 0],
    ] as const) {
      frameOf(history, session, frame).messages[0]!.conversationId = 'd';
    }
    history.sent[0]!.acknowledgements = [];
  });
  plant('a mailbox is reset although no message was deleted', ['reset'], (history) =>
    Object.assign(history.sessions[0]!.events[3]!, { reset: true }),
  );
});

test('checkHistory does not require ranges and conversation sequence numbers from a server that does not provide them', () => {
  const history = validHistory();
  for (const { events } of history.sessions) {
    for (const event of events) if (event.type === 'frame') delete event.range;
  }
  const guarantees = { ranges: false, conversationNumbers: false };
  expect(checkHistory(history, guarantees)).toEqual([]);
  frameOf(history, 1, 0).messages.pop();
  expect(checkHistory(history, guarantees).map(({ kind }) => kind)).toEqual(['lost']);
});
