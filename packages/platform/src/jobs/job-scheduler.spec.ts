import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Injectable, Logger, type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { JobScheduler, JobsModule } from './job-scheduler.js';
import { OnJob } from './on-job.decorator.js';

@Injectable()
class Jobs {
  runs: number[] = [];
  firstRuns = 0;
  queries = 0;
  readonly queryResult = Promise.withResolvers<undefined>();
  renewals = 0;
  deliveries = 0;
  signal: AbortSignal | undefined;
  work: () => Promise<void> = () => Promise.resolve();

  @OnJob('userctx.test.count', { intervalMs: 1_000 })
  async count(now: number, signal: AbortSignal): Promise<void> {
    this.runs.push(now);
    this.signal = signal;
    await this.work();
  }

  @OnJob('userctx.test.prepare', { intervalMs: 60_000, firstRun: 'before start' })
  async prepare(): Promise<void> {
    await Promise.resolve();
    this.firstRuns += 1;
  }

  @OnJob('userctx.test.query', { intervalMs: 60_000, firstRun: 'at start' })
  query(): Promise<void> {
    this.queries += 1;
    return this.queryResult.promise;
  }

  @OnJob('userctx.test.renew', { intervalMs: 1_000, runsWhileClientsAreConnected: true })
  async renew(): Promise<void> {
    this.renewals += 1;
    await Promise.resolve();
  }

  @OnJob('userctx.test.deliver', { intervalMs: 1_000, queue: { entity: Jobs, dueAt: 'dueAt' } })
  async deliver(): Promise<void> {
    this.deliveries += 1;
    await Promise.resolve();
  }
}

describe('JobScheduler', () => {
  let app: INestApplicationContext;
  let scheduler: JobScheduler;
  let jobs: Jobs;

  beforeEach(async () => {
    jest.useFakeTimers({ now: 0 });
    app = await Test.createTestingModule({ imports: [JobsModule], providers: [Jobs] }).compile();
    scheduler = app.get(JobScheduler);
    jobs = app.get(Jobs);
    // After the module is compiled, because Nest derives ids from random numbers.
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });

  afterEach(async () => {
    jobs.queryResult.resolve(undefined);
    await app.close();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  test('runs a job at each interval, with the current time as argument, until the application stops', async () => {
    await app.init();
    await jest.advanceTimersByTimeAsync(3_500);
    expect(jobs.runs).toEqual([1_000, 2_000, 3_000]);
    expect(jobs.signal?.aborted).toBe(false);
    jobs.queryResult.resolve(undefined);
    await app.close();
    expect(jobs.signal?.aborted).toBe(true);
    await jest.advanceTimersByTimeAsync(3_500);
    expect(jobs.runs).toHaveLength(3);
  });

  test('delays the first run of a job by up to a quarter of its interval', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.999);
    await app.init();
    await jest.advanceTimersByTimeAsync(3_500);
    expect(jobs.runs).toEqual([1_249, 2_249, 3_249]);
  });

  test('the application start waits for a job with first run `before start`, not for one with first run `at start`', async () => {
    await app.init();
    expect([jobs.firstRuns, jobs.queries]).toEqual([1, 1]);
  });

  test('runs jobs that connected clients need while the closing application waits for the runs of other jobs', async () => {
    const pending = Promise.withResolvers<undefined>();
    jobs.work = () => pending.promise;
    await app.init();
    jobs.queryResult.resolve(undefined);
    await jest.advanceTimersByTimeAsync(1_500);
    const close = app.close();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(jobs.renewals).toBe(4);
    pending.resolve(undefined);
    await close;
    await jest.advanceTimersByTimeAsync(3_000);
    expect(jobs.renewals).toBe(4);
  });

  test('logs a failed run under the name of the job and starts the next run after the interval', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    jobs.work = () => Promise.reject(new Error('database unavailable'));
    await app.init();
    await jest.advanceTimersByTimeAsync(2_500);
    expect(jobs.runs).toHaveLength(2);
    expect(warn).toHaveBeenCalledWith({ msg: 'Job failed', retryInMs: 1_000, err: new Error('database unavailable') });
    expect(warn.mock.contexts[0]).toMatchObject({ context: 'userctx.test.count' });
  });

  test('never runs a job twice at the same time, and waits for the current run when it stops a job', async () => {
    const pending = Promise.withResolvers<undefined>();
    jobs.work = () => pending.promise;
    await app.init();
    await jest.advanceTimersByTimeAsync(3_500);
    expect(jobs.runs).toHaveLength(1);
    let isStopped = false;
    const stop = scheduler.stop('userctx.test.count').then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(10);
    expect(isStopped).toBe(false);
    pending.resolve(undefined);
    await stop;
  });

  test('a trigger runs a job immediately, and once more if it is running', async () => {
    await app.init();
    const pending = Promise.withResolvers<undefined>();
    jobs.work = () => pending.promise;
    scheduler.trigger('userctx.test.count');
    expect(jobs.runs).toHaveLength(1);
    scheduler.trigger('userctx.test.count');
    scheduler.trigger('userctx.test.count');
    pending.resolve(undefined);
    await jest.advanceTimersByTimeAsync(1);
    expect(jobs.runs).toHaveLength(2);
  });

  test('a trigger at any moment of a run runs the job again', async () => {
    await app.init();
    for (let delay = 0; delay < 12; delay += 1) {
      jobs.runs = [];
      scheduler.trigger('userctx.test.count');
      for (let turn = 0; turn < delay; turn += 1) await Promise.resolve();
      scheduler.trigger('userctx.test.count');
      await jest.advanceTimersByTimeAsync(1);
      expect([delay, jobs.runs.length]).toEqual([delay, 2]);
    }
  });

  test('a trigger before the start runs the job at the start', async () => {
    scheduler.trigger('userctx.test.count');
    await app.init();
    expect(jobs.runs).toEqual([0]);
  });

  test('a stopped job does not start with the application and ignores triggers', async () => {
    await scheduler.stop('userctx.test.count');
    await app.init();
    scheduler.trigger('userctx.test.count');
    await jest.advanceTimersByTimeAsync(2_500);
    expect(jobs.runs).toEqual([]);
  });

  test('with a queue check, runs a job with a queue only when a row is due, or when it is triggered', async () => {
    let due: ReadonlySet<string> = new Set();
    scheduler.useQueueCheck('userctx', () => Promise.resolve(due));
    await app.init();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(jobs.deliveries).toBe(0);
    scheduler.trigger('userctx.test.deliver');
    expect(jobs.deliveries).toBe(1);
    due = new Set(['userctx.test.deliver']);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(jobs.deliveries).toBe(3);
    await scheduler.stop('userctx.test.deliver');
    await jest.advanceTimersByTimeAsync(2_000);
    expect(jobs.deliveries).toBe(3);
  });

  test('without a queue check, runs a job with a queue at each interval', async () => {
    await app.init();
    await jest.advanceTimersByTimeAsync(2_500);
    expect(jobs.deliveries).toBe(2);
  });

  test('rejects the name of a job that does not exist', () => {
    expect(() => scheduler.trigger('userctx.test.unknown')).toThrow('There is no job userctx.test.unknown');
  });
});
