import { describe, expect, it, jest } from '@jest/globals';
import { CumulativeAck } from './cumulative-ack.js';

/** Acknowledgements that are answered when the test says so. */
function service() {
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const send = jest.fn(
    (_seq: number) => new Promise<void>((resolve, reject) => void answers.push({ resolve, reject })),
  );
  const settle = async (how: 'resolve' | 'reject'): Promise<void> => {
    const answer = answers.shift();
    if (how === 'resolve') answer?.resolve();
    else answer?.reject(new Error('connection lost'));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { send, settle, said: () => send.mock.calls.map(([seq]) => seq) };
}

describe('CumulativeAck', () => {
  it('says one number at a time, and then the newest', async () => {
    const { send, settle, said } = service();
    const ack = new CumulativeAck(send);
    for (const seq of [3, 4, 9]) ack.advance(seq);
    expect(said()).toEqual([3]);
    await settle('resolve');
    expect(said()).toEqual([3, 9]);
    await settle('resolve');
    expect(said()).toEqual([3, 9]);
  });

  it('never says less than before, nor the same again', async () => {
    const { send, settle, said } = service();
    const ack = new CumulativeAck(send);
    ack.advance(9);
    await settle('resolve');
    ack.advance(5);
    ack.resend();
    expect(said()).toEqual([9]);
  });

  it('repeats on the next connection what the last one swallowed', async () => {
    const { send, settle, said } = service();
    const ack = new CumulativeAck(send);
    ack.advance(9);
    await settle('reject');
    expect(said()).toEqual([9]);
    ack.resend();
    expect(said()).toEqual([9, 9]);
  });

  it('begins at the bottom when numbering does, even if an old answer comes later', async () => {
    const { send, settle, said } = service();
    const ack = new CumulativeAck(send);
    ack.advance(900);
    ack.reset();
    await settle('resolve');
    ack.advance(2);
    expect(said()).toEqual([900, 2]);
  });
});
