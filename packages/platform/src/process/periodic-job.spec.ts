import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PeriodicJob } from './periodic-job.js';

class CountingJob extends PeriodicJob {
  rounds = 0;
  work: () => Promise<void> = () => Promise.resolve();

  constructor() {
    super(1_000);
  }

  async run(): Promise<void> {
    this.rounds += 1;
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

  test('runs again and again until it is stopped', async () => {
    await jest.advanceTimersByTimeAsync(3_500);
    expect(job.rounds).toBe(3);
    await job.stop();
    await jest.advanceTimersByTimeAsync(3_500);
    expect(job.rounds).toBe(3);
  });

  test('a round that fails is logged and the next one comes', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    job.work = () => Promise.reject(new Error('the database is away'));
    await jest.advanceTimersByTimeAsync(2_500);
    expect(job.rounds).toBe(2);
    expect(warn).toHaveBeenCalledWith({ msg: 'Job failed', retryInMs: 1_000, err: new Error('the database is away') });
  });

  test('rounds never overlap, and stopping waits for the one under way', async () => {
    const slow = Promise.withResolvers<undefined>();
    job.work = () => slow.promise;
    await jest.advanceTimersByTimeAsync(3_500);
    expect(job.rounds).toBe(1);
    let stopped = false;
    const stop = job.stop().then(() => (stopped = true));
    await jest.advanceTimersByTimeAsync(10);
    expect(stopped).toBe(false);
    slow.resolve(undefined);
    await stop;
  });
});
