import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ReadinessCheck, type ReadinessProblem } from './readiness-check.js';

describe('ReadinessCheck', () => {
  const check = jest.fn<() => Promise<ReadinessProblem | undefined>>();
  const problem = { message: 'The disk is full', fields: { code: 'ENOSPC' } };
  let readiness: ReadinessCheck;
  let lines: [method: string, entry: { msg: string }][];

  beforeEach(() => {
    jest.useFakeTimers();
    check.mockReset().mockResolvedValue(undefined);
    lines = [];
    for (const method of ['log', 'warn', 'error'] as const)
      jest
        .spyOn(Logger.prototype, method)
        .mockImplementation((entry: { msg: string }) => void lines.push([method, entry]));
    readiness = new ReadinessCheck({
      name: 'Disk',
      messages: { failed: 'Disk failed', recovered: 'Disk recovered' },
      intervalMs: 1_000,
      timeoutMs: 10,
      check,
    });
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  test('runs the check once per interval, also for concurrent and repeated calls of findProblem', async () => {
    await Promise.all([readiness.findProblem(), readiness.findProblem()]);
    await readiness.findProblem();
    expect(check).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1_000);
    await readiness.findProblem();
    expect(check).toHaveBeenCalledTimes(2);
  });

  test('logs the beginning and the end of a problem once each', async () => {
    for (const found of [undefined, problem, problem, undefined, undefined]) {
      check.mockResolvedValue(found);
      expect(await readiness.findProblem()).toEqual(found);
      jest.advanceTimersByTime(1_000);
    }
    expect(lines).toEqual([
      ['error', { msg: 'Disk failed', code: 'ENOSPC' }],
      ['log', { msg: 'Disk recovered' }],
    ]);
  });

  test('reports a check that does not complete as a problem, without starting another check, until it completes', async () => {
    const slow = Promise.withResolvers<undefined>();
    check.mockReturnValue(slow.promise);
    const message = 'The check did not complete within 10 ms';
    expect(await Promise.all([readiness.findProblem(), readiness.findProblem()])).toEqual([{ message }, { message }]);
    expect(await readiness.findProblem()).toEqual({ message });
    expect(check).toHaveBeenCalledTimes(1);
    slow.resolve(undefined);
    expect(await readiness.findProblem()).toBeUndefined();
    expect(lines).toEqual([
      ['warn', { msg: 'Readiness check does not complete', reason: message }],
      ['log', { msg: 'Readiness check completes again' }],
    ]);
  });

  test('a check that does not complete neither ends nor repeats the problem that was found before', async () => {
    const slow = Promise.withResolvers<ReadinessProblem>();
    check.mockResolvedValueOnce(problem).mockReturnValueOnce(slow.promise).mockResolvedValue(undefined);
    expect(await readiness.findProblem()).toEqual(problem);
    jest.advanceTimersByTime(1_000);
    expect(await readiness.findProblem()).toEqual({ message: 'The check did not complete within 10 ms' });
    slow.resolve(problem);
    expect(await readiness.findProblem()).toEqual(problem);
    jest.advanceTimersByTime(1_000);
    expect(await readiness.findProblem()).toBeUndefined();
    expect(lines.map(([, { msg }]) => msg)).toEqual([
      'Disk failed',
      'Readiness check does not complete',
      'Readiness check completes again',
      'Disk recovered',
    ]);
  });

  test('findProblem returns the previous result while the check throws', async () => {
    check.mockResolvedValue(problem);
    await readiness.findProblem();
    check.mockRejectedValue(new Error('no connection'));
    jest.advanceTimersByTime(1_000);
    expect(await readiness.findProblem()).toEqual(problem);
    expect(lines).toHaveLength(1);
    await expect(readiness.run()).rejects.toThrow('no connection');
  });
});
