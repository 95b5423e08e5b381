import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  SYSTEM_SENDER,
  type MessageEnvelope,
  type MessagesFrame,
} from '@family-watch/domain/messages/contracts/message-kinds';
import type { Hello } from '@family-watch/domain/messages/contracts/socket-events';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import {
  Connection,
  reconnectAdvice,
  OutboundQueue,
  type Channel,
  type CloseReason,
  type DurableReader,
} from './connection.js';

const createDurableMessage = (seq: number): MessageEnvelope => ({
  id: `m${seq}`,
  kind: 'ContactsChangeNoticeMessage',
  seq,
  time: 1,
  from: SYSTEM_SENDER,
  payload: {},
});

/** Transport that records every call. */
class RecordingChannel implements Channel {
  bufferedBytes = 0;
  readonly hellos: Hello[] = [];
  readonly frames: MessagesFrame[] = [];
  readonly closeReasons: CloseReason[] = [];
  private readonly drainCallbacks: (() => void)[] = [];

  hello(hello: Hello): void {
    this.hellos.push(hello);
  }

  messages(frame: MessagesFrame): void {
    this.frames.push(frame);
  }

  onceDrained(callback: () => void): void {
    this.drainCallbacks.push(callback);
  }

  close(reason: CloseReason): void {
    this.closeReasons.push(reason);
  }

  drain(): void {
    this.bufferedBytes = 0;
    this.drainCallbacks.splice(0).forEach((callback) => callback());
  }
}

const identity = {
  principal: { type: 'user', id: 'u1', sessionId: 's1' },
  issuedAt: 0,
  expiresAt: 600_000,
} as const;

const helloWithHead = (head: number): Hello => ({
  version: 2,
  principal: 'user:u1',
  sessionId: 's1',
  head,
  epoch: 1,
  heartbeatInterval: 30,
  serverTime: 0,
  reconnect: { minDelay: 0, maxDelay: 0 },
});

/**
 * Returns a reader of a mailbox that has a message at every sequence number; each read returns at most `size` messages.
 */
const readerOf =
  (size: number): DurableReader =>
  async (_, after, through) => {
    const end = Math.min(through, after + size);
    return {
      addedThrough: end,
      messages: Array.from({ length: end - after }, (__, index) => createDurableMessage(after + index + 1)),
    };
  };

const openedConnections: Connection[] = [];

function openConnection(
  read: DurableReader = readerOf(100),
  limits = { highWaterBytes: 1_000, stallMs: 40, retryMs: 5 },
) {
  const channel = new RecordingChannel();
  const connection = new Connection({ ...identity }, channel, read, limits);
  openedConnections.push(connection);
  const sentSeqs = () => channel.frames.flatMap(({ messages }) => messages.map(({ seq }) => seq));
  return { channel, connection, sentSeqs };
}

const pause = (milliseconds = 20) => new Promise((resolve) => setTimeout(resolve, milliseconds));

afterEach(() => openedConnections.splice(0).forEach((connection) => connection.onClosed()));

describe('Connection', () => {
  test('sends hello, replays missed messages in ranges and continues live without gap or duplicate', async () => {
    const { channel, connection, sentSeqs } = openConnection(readerOf(3));
    connection.start(helloWithHead(8), 1);
    expect(channel.hellos).toHaveLength(1);
    connection.notifyHead(9);
    await pause();
    connection.notifyHead(10);
    connection.notifyHead(10);
    await waitFor(() => expect(sentSeqs()).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]));
    let through = 1;
    for (const frame of channel.frames) {
      expect(frame.after).toBe(through);
      through = frame.through ?? Number.NaN;
    }
    expect(through).toBe(10);
  });

  test('delivers messages up to the mailbox head that a notification before the start has reported', async () => {
    const { connection, sentSeqs } = openConnection();
    connection.notifyHead(3);
    connection.start(helloWithHead(2), 0);
    await waitFor(() => expect(sentSeqs()).toEqual([1, 2, 3]));
  });

  test('sends all messages queued in one event-loop turn as one frame', async () => {
    const { channel, connection } = openConnection();
    connection.start(helloWithHead(0), 0);
    connection.queueEphemeral({ ...createDurableMessage(0), seq: undefined });
    connection.queueLatest('c1', { ...createDurableMessage(0), id: 'position', seq: undefined }, () => true);
    await waitFor(() => expect(channel.frames).toHaveLength(1));
    expect(channel.frames[0]?.messages).toHaveLength(2);
  });

  test('retries the mailbox read after a failure', async () => {
    let failures = 2;
    const read: DurableReader = (...range) => {
      if (failures-- > 0) return Promise.reject(new Error('database unavailable'));
      return readerOf(100)(...range);
    };
    const { connection, sentSeqs } = openConnection(read);
    connection.start(helloWithHead(2), 0);
    await waitFor(() => expect(sentSeqs()).toEqual([1, 2]));
  });

  test('sends nothing while the network is congested and resumes after it drains', async () => {
    const { channel, connection, sentSeqs } = openConnection(readerOf(1));
    channel.bufferedBytes = 5_000;
    connection.start(helloWithHead(3), 0);
    await pause();
    expect(sentSeqs()).toEqual([]);
    channel.drain();
    await waitFor(() => expect(sentSeqs()).toEqual([1, 2, 3]));
    expect(channel.closeReasons).toEqual([]);
  });

  test('re-reads messages that waited for a slow client, so that access is checked before sending', async () => {
    let isMember = true;
    const read: DurableReader = async (reader, after, through) => {
      const range = await readerOf(100)(reader, after, through);
      return isMember ? range : { ...range, messages: range.messages.filter(({ seq }) => seq === 4) };
    };
    const { channel, connection, sentSeqs } = openConnection(read, { highWaterBytes: 1_000, stallMs: 500, retryMs: 5 });
    channel.bufferedBytes = 5_000;
    connection.start(helloWithHead(3), 0);
    connection.queueLatest('c1', { ...createDurableMessage(0), id: 'position', seq: undefined }, () => true);
    await pause();
    isMember = false;
    connection.notifyHead(4);
    channel.drain();
    await waitFor(() => expect(sentSeqs()).toEqual([undefined, 4]));
    expect(channel.frames[1]).toMatchObject({ after: 0, through: 4 });
  });

  test('closes the connection of a client that reads nothing for too long', async () => {
    const { channel, connection } = openConnection();
    channel.bufferedBytes = 5_000;
    connection.start(helloWithHead(3), 0);
    await waitFor(() => expect(channel.closeReasons).toEqual(['slow reader']));
    expect(channel.frames).toEqual([]);
  });

  test('accepts ranges that directly follow the previous range and reads all others from the mailbox', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ size: fc.integer({ min: 1, max: 4 }), arrival: fc.constantFrom('inOrder', 'lost', 'late') }),
          {
            minLength: 1,
            maxLength: 12,
          },
        ),
        async (appends) => {
          const { connection, channel, sentSeqs } = openConnection(async (...range) => {
            await pause(0);
            return readerOf(3)(...range);
          });
          connection.start(helloWithHead(0), 0);
          let head = 0;
          const late: (() => void)[] = [];
          for (const { size, arrival } of appends) {
            const after = head;
            head += size;
            const messages = Array.from({ length: size }, (_, index) => createDurableMessage(after + index + 1));
            const addedThrough = head;
            const announce = () =>
              connection.isCaughtUpTo(after)
                ? connection.acceptRange({ addedThrough, messages })
                : connection.notifyHead(addedThrough);
            if (arrival === 'inOrder') announce();
            if (arrival === 'late') late.push(announce);
            if (size % 2 === 0) await pause(0);
          }
          late.forEach((announce) => announce());
          connection.notifyHead(head);
          const all = Array.from({ length: head }, (_, index) => index + 1);
          for (let turn = 0; turn < 200 && sentSeqs().length < head; turn += 1) await pause(0);
          expect(sentSeqs()).toEqual(all);
          channel.frames.forEach((frame, index) => expect(frame.after).toBe(channel.frames[index - 1]?.through ?? 0));
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });

  test('is not caught up with the mailbox while the client reads too slowly', async () => {
    const { channel, connection } = openConnection();
    connection.start(helloWithHead(0), 0);
    expect(connection.isCaughtUpTo(0)).toBe(true);
    expect(connection.isCaughtUpTo(1)).toBe(false);
    channel.bufferedBytes = 5_000;
    expect(connection.isCaughtUpTo(0)).toBe(false);
  });

  test('calls the listener of a message at once if the message was read and sent before', async () => {
    const { channel, connection } = openConnection();
    const sent: string[] = [];
    connection.start(helloWithHead(2), 0);
    connection.onceSent(2, () => sent.push('with the next frame'));
    await waitFor(() => expect(channel.frames).toHaveLength(1));
    expect(sent).toEqual(['with the next frame']);
    connection.onceSent(2, () => sent.push('at once'));
    expect(sent).toEqual(['with the next frame', 'at once']);
    connection.onceSent(3, () => sent.push('at the close'));
    expect(sent).toHaveLength(2);
    connection.onClosed();
    expect(sent).toEqual(['with the next frame', 'at once', 'at the close']);
  });

  test('sends nothing after close', async () => {
    const { channel, connection } = openConnection();
    connection.start(helloWithHead(1), 0);
    connection.close('token revoked');
    connection.close('flood');
    connection.notifyHead(5);
    await pause();
    expect(channel.frames).toEqual([]);
    expect(channel.closeReasons).toEqual(['token revoked']);
  });
});

describe('reconnectAdvice', () => {
  test('returns a short delay for a few connections', () => {
    expect(reconnectAdvice(1)).toEqual({ minDelay: 100, maxDelay: 401 });
  });

  test('spreads the reconnects of many connections to two thousand per second', () => {
    expect(reconnectAdvice(20_000)).toEqual({ minDelay: 100, maxDelay: 10_400 });
  });

  test('never returns a delay of more than thirty seconds', () => {
    expect(reconnectAdvice(1_000_000).maxDelay).toBe(30_000);
  });
});

const createMessage = (id: string, seq?: number): MessageEnvelope => ({
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
    queue.addRange({ addedThrough: 6, messages: [createMessage('a', 5), createMessage('b', 6)] });
    expect(queue.drain()).toMatchObject({ after: 4, through: 6 });
    queue.addRange({ addedThrough: 9, messages: [createMessage('c', 9)] });
    expect(queue.drain()).toMatchObject({ after: 6, through: 9 });
    expect(queue.drain()).toBeUndefined();
  });

  test('merges ranges that were added before draining into one frame', () => {
    const queue = new OutboundQueue(0);
    queue.addRange({ addedThrough: 1, messages: [createMessage('a', 1)] });
    queue.addRange({ addedThrough: 2, messages: [createMessage('b', 2)] });
    expect(queue.drain()).toEqual({ after: 0, through: 2, messages: [createMessage('a', 1), createMessage('b', 2)] });
  });

  test('returns an empty range together with the next range that has messages', () => {
    const queue = new OutboundQueue(0);
    queue.addRange({ addedThrough: 5, messages: [] });
    expect(queue.drain()).toBeUndefined();
    expect(queue.addedThrough).toBe(5);
    queue.addRange({ addedThrough: 6, messages: [createMessage('f', 6)] });
    expect(queue.drain()).toMatchObject({ after: 0, through: 6 });
  });

  test('omits the range (`after`, `through`) from a frame without durable messages', () => {
    const queue = new OutboundQueue(3);
    queue.addEphemeral(createMessage('e'));
    expect(queue.drain()).toEqual({ messages: [createMessage('e')] });
  });

  test('retains only the latest value of each key', () => {
    const queue = new OutboundQueue(0);
    queue.addLatest('c1', createMessage('old'), alwaysAllowed);
    queue.addLatest('c2', createMessage('other'), alwaysAllowed);
    queue.addLatest('c1', createMessage('new'), alwaysAllowed);
    expect(queue.drain()).toEqual({ messages: [createMessage('other'), createMessage('new')] });
  });

  test('drops a value if the recipient may no longer see it at the time when the queue is drained', () => {
    const queue = new OutboundQueue(0);
    let isMember = true;
    queue.addLatest('c1', createMessage('position'), () => isMember);
    isMember = false;
    expect(queue.drain()).toBeUndefined();
    expect(queue.isEmpty).toBe(true);
  });

  test('drops the oldest ephemeral messages when a client is too slow', () => {
    const queue = new OutboundQueue(0);
    for (let each = 0; each < 500; each += 1) queue.addEphemeral(createMessage(String(each)));
    const ids = queue.drain()?.messages.map(({ id }) => id);
    expect(ids).toHaveLength(200);
    expect(ids?.at(-1)).toBe('499');
  });
});
