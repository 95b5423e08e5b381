import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { runAs } from '@family-watch/platform/process/work-priority';
import type { WorkPriority } from '@family-watch/platform/process/work-priority';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import type { TestDatabase } from '@family-watch/testing/database/test-database';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';

let testDatabase: TestDatabase;
let database: AppDatabase;
let unitOfWork: UnitOfWork;

beforeAll(async () => {
  testDatabase = await createTestDatabase({});
  // Only the wait for a connection is tested: statements run as long as the test needs.
  const limits = { poolSize: 5, connectTimeoutMs: 60_000 };
  database = await openAppDatabase({ name: 'reserves', schema: 'public', url: testDatabase.url, entities: [], limits });
  unitOfWork = new UnitOfWork(database.dataSource, 'public');
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Transactions that keep their connections until the test ends them. */
class HeldConnections {
  /** Number of transactions that have obtained a connection. */
  started = 0;
  end: () => void = () => undefined;
  readonly results: Promise<PromiseSettledResult<void>[]>;

  constructor(workPriority: WorkPriority, count: number) {
    const ended = new Promise<void>((resolve) => (this.end = resolve));
    const hold = () =>
      unitOfWork.run(async () => {
        await unitOfWork.executor.query('SELECT 1');
        this.started += 1;
        await ended;
      });
    this.results = Promise.allSettled(Array.from({ length: count }, () => runAs(workPriority, hold)));
  }
}

const runQuery = (workPriority: WorkPriority) =>
  runAs(workPriority, () => unitOfWork.executor.query('SELECT 1 AS one'));

describe('reserves of database connections', () => {
  test('let authenticated callers run while public requests wait, and internal work while both wait', async () => {
    const publicRequests = new HeldConnections('public', 20);
    await waitUntil('the public requests to start', () => publicRequests.started === 2);
    await expect(runQuery('caller')).resolves.toEqual([{ one: 1 }]);
    const callers = new HeldConnections('caller', 20);
    await waitUntil('the callers to start', () => callers.started === 2);
    await expect(runQuery('internal')).resolves.toEqual([{ one: 1 }]);
    expect(await runAs('public', () => database.isReachable(30_000))).toBe(true);
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
});
