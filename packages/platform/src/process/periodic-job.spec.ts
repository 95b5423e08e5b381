import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PeriodicJob } from './periodic-job.js';

class CountingJob extends PeriodicJob {
  runCount = 0;
  work: () => Promise<void> = () => Promise.resolve();

  constructor() {
    super(1_000);
  }

  async run(): Promise<void> {
    this.runCount += 1;
    await this.work();
  }
}

describe('PeriodicJob', () => {
  let job: CountingJob;

  beforeEach(async () => {
    jest.useFakeTimers();
    job = new CountingJob();
    await job.onApplicationBootstrap();
  });

  afterEach(async () => {
    await job.onModuleDestroy();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  test('runs repeatedly until it is stopped', async () => {
    await jest.advanceTimersByTimeAsync(3_500);
    expect(job.runCount).toBe(3);
    await job.stop();
    await jest.advanceTimersByTimeAsync(3_500);
    expect(job.runCount).toBe(3);
  });

  test('logs a failed run and continues with the next one', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    job.work = () => Promise.reject(new Error('database unavailable'));
    await jest.advanceTimersByTimeAsync(2_500);
    expect(job.runCount).toBe(2);
    expect(warn).toHaveBeenCalledWith({ msg: 'Job failed', retryInMs: 1_000, err: new Error('database unavailable') });
  });

  test('never overlaps runs, and waits for the current run when it is stopped', async () => {
    const pending = Promise.withResolvers<undefined>();
    job.work = () => pending.promise;
    await jest.advanceTimersByTimeAsync(3_500);
    expect(job.runCount).toBe(1);
    let stopped = false;
    const stop = job.stop().then(() => (stopped = true));
    await jest.advanceTimersByTimeAsync(10);
    expect(stopped).toBe(false);
    pending.resolve(undefined);
    await stop;
  });
});
