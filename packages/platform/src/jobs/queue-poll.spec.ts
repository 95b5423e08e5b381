import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { QueuePoll, type FindDueJobs } from './queue-poll.js';

class Row {}

describe('QueuePoll', () => {
  const findDue = jest.fn<FindDueJobs>();
  let runs: string[];
  let empty: string[];
  let poll: QueuePoll;
  let busy: ReturnType<typeof createJob>;

  function createJob(name: string, intervalMs: number) {
    return {
      metadata: { name, intervalMs, queue: { entity: Row, dueAt: 'dueAt' } },
      isIdle: true,
      run: () => Promise.resolve(void runs.push(name)),
      recordEmptyQueue: () => void empty.push(name),
    };
  }

  const checkedNames = () => findDue.mock.calls.map(([jobs]) => jobs.map(({ name }) => name));

  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    findDue.mockReset().mockResolvedValue(new Set());
    [runs, empty] = [[], []];
    busy = createJob('busy', 500);
    poll = new QueuePoll([createJob('calls', 500), createJob('alerts', 1_000), busy], findDue);
    busy.isIdle = false;
    poll.start();
  });
  afterEach(async () => {
    await poll.stop();
    jest.useRealTimers();
  });

  test('checks the queues of all idle jobs in one call, each at its interval', async () => {
    await jest.advanceTimersByTimeAsync(2_000);
    expect(checkedNames()).toEqual([['calls'], ['calls', 'alerts'], ['calls'], ['calls', 'alerts']]);
  });

  test('runs the jobs of which a row is due, and records the empty queues of the others', async () => {
    findDue.mockResolvedValue(new Set(['alerts']));
    await jest.advanceTimersByTimeAsync(1_000);
    expect([runs, empty]).toEqual([['alerts'], ['calls', 'calls']]);
  });

  test('runs every job if the check fails, so that each reports the failure', async () => {
    findDue.mockRejectedValue(new Error('database unavailable'));
    await jest.advanceTimersByTimeAsync(1_000);
    expect([runs, empty]).toEqual([['calls', 'calls', 'alerts'], []]);
  });

  test('starts no check during a check, and none without an idle job', async () => {
    const check = Promise.withResolvers<ReadonlySet<string>>();
    findDue.mockReturnValueOnce(check.promise);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(findDue).toHaveBeenCalledTimes(1);
    check.resolve(new Set());
    const idle = new QueuePoll([busy], findDue);
    idle.start();
    findDue.mockClear();
    await poll.stop();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(findDue).not.toHaveBeenCalled();
    await idle.stop();
  });

  test('stop waits for the check in progress, after which nothing is checked', async () => {
    const check = Promise.withResolvers<ReadonlySet<string>>();
    findDue.mockReturnValueOnce(check.promise);
    await jest.advanceTimersByTimeAsync(500);
    let isStopped = false;
    const stop = poll.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(isStopped).toBe(false);
    check.resolve(new Set());
    await stop;
    expect(findDue).toHaveBeenCalledTimes(1);
  });
});
