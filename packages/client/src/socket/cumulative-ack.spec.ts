import { describe, expect, jest, test } from '@jest/globals';
import { CumulativeAck } from './cumulative-ack.js';

/**
 * Creates a service that records acknowledgements; `complete` resolves or rejects the oldest pending acknowledgement.
 */
function createService() {
  const pending: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const send = jest.fn(
    (_seq: number) => new Promise<void>((resolve, reject) => void pending.push({ resolve, reject })),
  );
  const complete = async (outcome: 'resolve' | 'reject'): Promise<void> => {
    const oldest = pending.shift();
    if (outcome === 'resolve') oldest?.resolve();
    else oldest?.reject(new Error('connection lost'));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { send, complete, sentSeqs: () => send.mock.calls.map(([seq]) => seq) };
}

describe('CumulativeAck', () => {
  test('sends one acknowledgement at a time, and after each response only the newest acknowledgement', async () => {
    const { send, complete, sentSeqs } = createService();
    const ack = new CumulativeAck(send);
    for (const seq of [3, 4, 9]) ack.markHandled(seq);
    expect(sentSeqs()).toEqual([3]);
    await complete('resolve');
    expect(sentSeqs()).toEqual([3, 9]);
    await complete('resolve');
    expect(sentSeqs()).toEqual([3, 9]);
  });

  test('sends no acknowledgement that is lower than or equal to the last acknowledgement', async () => {
    const { send, complete, sentSeqs } = createService();
    const ack = new CumulativeAck(send);
    ack.markHandled(9);
    await complete('resolve');
    ack.markHandled(5);
    ack.resend();
    expect(sentSeqs()).toEqual([9]);
  });

  test('resends an acknowledgement that the previous connection lost', async () => {
    const { send, complete, sentSeqs } = createService();
    const ack = new CumulativeAck(send);
    ack.markHandled(9);
    await complete('reject');
    expect(sentSeqs()).toEqual([9]);
    ack.resend();
    expect(sentSeqs()).toEqual([9, 9]);
  });

  test('starts at zero after reset, even when a response to an earlier acknowledgement arrives afterwards', async () => {
    const { send, complete, sentSeqs } = createService();
    const ack = new CumulativeAck(send);
    ack.markHandled(900);
    ack.reset();
    await complete('resolve');
    ack.markHandled(2);
    expect(sentSeqs()).toEqual([900, 2]);
  });
});
