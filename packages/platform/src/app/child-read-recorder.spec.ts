import { describe, expect, test } from '@jest/globals';
import type { DomainEvents } from '@family-watch/domain/events';
import type { Outbox } from '@family-watch/event-bus/outbox';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { ChildReadRecorder } from './child-read-recorder.js';

const HOUR_MS = 3_600_000;

/** Returns a recorder whose transactions end when `release` is called, and the number of reads that they have stored. */
function createRecorder() {
  const stored: string[] = [];
  const pending: (() => void)[] = [];
  const outbox = {
    appendMany: async (events: { payload: { reads: { kind: string }[] } }[]) => {
      await new Promise<void>((resolve) => pending.push(resolve));
      stored.push(...events.flatMap(({ payload }) => payload.reads.map(({ kind }) => kind)));
    },
  } as unknown as Outbox<DomainEvents>;
  const unitOfWork = { run: (work: () => Promise<unknown>) => work() } as unknown as UnitOfWork;
  const release = () => pending.splice(0).forEach((resolve) => resolve());
  return { recorder: new ChildReadRecorder('mcdisk', unitOfWork, outbox), stored, release };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('ChildReadRecorder', () => {
  test('records a viewer, child and kind once per hour', async () => {
    const { recorder, stored, release } = createRecorder();
    for (const now of [0, HOUR_MS - 1, HOUR_MS, 1]) recorder.record('user:u', 'C', 'CHAT', now);
    const flushed = recorder.flush();
    await turn();
    release();
    await flushed;
    expect(stored).toEqual(['CHAT', 'CHAT']);
  });

  test('has stored all reads when any of several concurrent flushes ends', async () => {
    const { recorder, stored, release } = createRecorder();
    recorder.record('user:u', 'c', 'CHAT', 0);
    const running = recorder.flush();
    await turn();
    recorder.record('user:u', 'c', 'MEDIA', 0);
    const flushes = [recorder.flush(), recorder.flush()];
    const storedAtEnd = flushes.map(async (flush) => {
      await flush;
      return [...stored];
    });
    while (stored.length < 2) {
      release();
      await turn();
    }
    await running;
    expect(await Promise.all(storedAtEnd)).toEqual([
      ['CHAT', 'MEDIA'],
      ['CHAT', 'MEDIA'],
    ]);
  });
});
