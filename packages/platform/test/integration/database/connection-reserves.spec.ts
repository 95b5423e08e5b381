import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { runAs, type WorkPriority } from '@family-watch/platform/concurrency/work-priority';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { app, openCounterApp, unitOfWork, useCounterDatabase } from '../../support/counter-database.js';

// Only the wait for a connection is tested: statements run as long as the test needs.
useCounterDatabase({ poolSize: 5, connectTimeoutMs: 60_000 });

/** Transactions that keep their connections until the test ends them. */
class HeldConnections {
  /** Number of transactions that have obtained a connection. */
  started = 0;
  end: () => void = () => undefined;
  readonly results: Promise<PromiseSettledResult<void>[]>;

  constructor(workPriority: WorkPriority, count: number, owner?: string) {
    const ended = new Promise<void>((resolve) => (this.end = resolve));
    const hold = () =>
      unitOfWork.run(async () => {
        await unitOfWork.executor.query('SELECT 1');
        this.started += 1;
        await ended;
      });
    this.results = Promise.allSettled(Array.from({ length: count }, () => runAs(workPriority, hold, owner)));
  }
}

const runQuery = (workPriority: WorkPriority, owner?: string) =>
  runAs(workPriority, () => unitOfWork.executor.query('SELECT 1 AS one'), owner);

describe('reserves of database connections', () => {
  test('let authenticated callers run while public requests wait, and internal work while both wait', async () => {
    const publicRequests = new HeldConnections('public', 20);
    await waitUntil('the public requests to start', () => publicRequests.started === 2);
    await expect(runQuery('caller')).resolves.toEqual([{ one: 1 }]);
    const callers = new HeldConnections('caller', 20);
    await waitUntil('the callers to start', () => callers.started === 2);
    await expect(runQuery('internal')).resolves.toEqual([{ one: 1 }]);
    expect(await runAs('public', () => app.isReachable(30_000))).toBe(true);
    expect([publicRequests.started, callers.started]).toEqual([2, 2]);
    callers.end();
    publicRequests.end();
    const results = await Promise.all([publicRequests.results, callers.results]);
    expect(results.flat().every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  test('let work after a commit obtain a connection although public requests wait', async () => {
    const publicRequests = new HeldConnections('public', 1);
    await waitUntil('the public request to start', () => publicRequests.started === 1);
    let followUp: Promise<unknown> | undefined;
    let others: HeldConnections | undefined;
    await runAs('public', () =>
      unitOfWork.run(async () => {
        await unitOfWork.executor.query('SELECT 1');
        unitOfWork.afterCommit(() => {
          others = new HeldConnections('public', 5);
          followUp = unitOfWork.executor.query('SELECT 1 AS one');
        });
      }),
    );
    await expect(followUp).resolves.toEqual([{ one: 1 }]);
    others?.end();
    publicRequests.end();
    await Promise.all([others?.results, publicRequests.results]);
  });

  test('reject public requests with OVERLOADED when 500 of them wait', async () => {
    const publicRequests = new HeldConnections('public', 502);
    await waitUntil('the public requests to start', () => publicRequests.started === 2);
    await expect(runQuery('public')).rejects.toMatchObject({ reason: 'OVERLOADED', retryAfter: 2 });
    await expect(runQuery('caller')).resolves.toEqual([{ one: 1 }]);
    publicRequests.end();
    expect((await publicRequests.results).every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  test('A37 let public requests run while callers wait for all connections that they may use', async () => {
    const callers = new HeldConnections('caller', 20);
    await waitUntil('the callers to start', () => callers.started >= 3);
    await expect(runQuery('public')).resolves.toEqual([{ one: 1 }]);
    await expect(runQuery('internal')).resolves.toEqual([{ one: 1 }]);
    callers.end();
    await callers.results;
  });

  test('A37 give one caller at most two connections, so that other callers run at once', async () => {
    const flood = new HeldConnections('caller', 40, 'user:a');
    await waitUntil('the flood to start', () => flood.started === 2);
    await expect(runQuery('caller', 'user:b')).resolves.toEqual([{ one: 1 }]);
    expect(flood.started).toBe(2);
    flood.end();
    expect((await flood.results).every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  test('A37 reject a caller of whom 100 requests wait, and no other caller', async () => {
    const flood = new HeldConnections('caller', 102, 'user:a');
    await waitUntil('the flood to start', () => flood.started === 2);
    await expect(runQuery('caller', 'user:a')).rejects.toMatchObject({ reason: 'TOO_MANY_CONCURRENT_REQUESTS' });
    await expect(runQuery('caller', 'user:b')).resolves.toEqual([{ one: 1 }]);
    flood.end();
    await flood.results;
  });

  test('A37 let a nested transaction run although its caller occupies two connections', async () => {
    const nested = () => unitOfWork.run(() => unitOfWork.runInNewTransaction(() => runQuery('internal')));
    const results = Promise.all(Array.from({ length: 4 }, () => runAs('caller', nested, 'user:a')));
    await expect(results).resolves.toHaveLength(4);
  });
});

describe('connections of a pool of ten', () => {
  let larger: AppDatabase;
  let work: UnitOfWork;

  beforeAll(async () => {
    larger = await openCounterApp({ poolSize: 10, connectTimeoutMs: 3_000 });
    work = new UnitOfWork(larger.dataSource, 'alpha');
  });
  afterAll(() => larger.close());

  test('A37 an SOS and a sign-in get connections while callers, the public and internal work occupy all that they may use', async () => {
    const held = new Map<WorkPriority, number>();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const hold = (workPriority: WorkPriority) =>
      runAs(workPriority, () =>
        work.run(async () => {
          await work.executor.query('SELECT 1');
          held.set(workPriority, (held.get(workPriority) ?? 0) + 1);
          await ended;
        }),
      );
    const tasks = (['internal', 'caller', 'public'] as const).flatMap((workPriority) =>
      Array.from({ length: 20 }, () => hold(workPriority)),
    );
    const results = Promise.allSettled(tasks);
    await waitUntil('eight connections', () => [...held.values()].reduce((sum, count) => sum + count, 0) === 8);
    const sos = runAs('emergency', () => work.executor.query('SELECT 1 AS one'), 'watch:1');
    const signIn = runAs('known-device', () => work.executor.query('SELECT 2 AS two'), 'user:b');
    await expect(sos).resolves.toEqual([{ one: 1 }]);
    await expect(signIn).resolves.toEqual([{ two: 2 }]);
    expect(Math.min(...held.values())).toBeGreaterThan(0);
    const expired = runAs('caller', () => work.executor.query('SELECT 1'), 'user:a');
    await expect(expired).rejects.toMatchObject({ reason: 'OVERLOADED', retryAfter: 2 });
    end();
    expect((await results).filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
  });
});
