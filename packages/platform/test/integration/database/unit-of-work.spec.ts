import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type AppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import {
  QueryOutsideTransactionError,
  TransactionRolledBackError,
} from '@family-watch/platform/database/transaction-context';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { setTimeout as sleep } from 'node:timers/promises';
import { admin, app, Counter, openCounterApp, unitOfWork, useCounterDatabase } from '../../support/counter-database.js';

describe('UnitOfWork', () => {
  let beta: AppDatabase;

  // jest calls hooks in the order of their declaration.
  afterAll(() => beta.close());
  useCounterDatabase();
  beforeAll(async () => {
    beta = await openCounterApp();
  });

  beforeEach(async () => {
    await admin.query('TRUNCATE alpha.counter');
    await admin.query(`INSERT INTO alpha.counter VALUES ('a', 0), ('b', 0)`);
  });

  async function readCounterValue(id: string): Promise<number> {
    const { rows } = await admin.query<{ value: string }>('SELECT value FROM alpha.counter WHERE id = $1', [id]);
    return Number(rows[0]?.value);
  }

  async function incrementCounter(id: string): Promise<void> {
    await unitOfWork.executor.query('UPDATE alpha.counter SET value = value + 1 WHERE id = $1', [id]);
  }

  test('commits entities and statements together and returns the result of its work', async () => {
    const result = await unitOfWork.run(async () => {
      await unitOfWork.manager.update(Counter, 'a', { value: 7 });
      await incrementCounter('b');
      expect(await readCounterValue('a')).toBe(0);
      return 'done';
    });
    expect([result, await readCounterValue('a'), await readCounterValue('b')]).toEqual(['done', 7, 1]);
  });

  test.each([
    ['its work', () => incrementCounter('a')],
    ['work of a joined call of run', () => unitOfWork.run(() => incrementCounter('a'))],
  ])('rolls back %s when the work throws, and rethrows the error', async (_, change) => {
    const failing = unitOfWork.run(async () => {
      await change();
      throw new Error('rejected');
    });
    await expect(failing).rejects.toThrow('rejected');
    expect(await readCounterValue('a')).toBe(0);
  });

  test.each([
    ['a joined call of run fails', () => unitOfWork.run(() => Promise.reject(new Error('part')))],
    ['a statement fails, so that the server rolls back', () => unitOfWork.executor.query('SELECT 1 / 0')],
  ])('rolls back and rejects when %s, even if the error is caught', async (_, fail) => {
    const swallowing = unitOfWork.run(async () => {
      await incrementCounter('a');
      await fail().catch(() => undefined);
    });
    await expect(swallowing).rejects.toBeInstanceOf(TransactionRolledBackError);
    expect(await readCounterValue('a')).toBe(0);
  });

  test('retries its work after a deadlock', async () => {
    let runs = 0;
    let lockedRows = 0;
    const addBoth = (first: string, second: string): Promise<void> =>
      unitOfWork.run(async () => {
        runs += 1;
        await incrementCounter(first);
        lockedRows += 1;
        await waitUntil('both transactions lock a row', () => lockedRows >= 2);
        await incrementCounter(second);
      });
    await Promise.all([addBoth('a', 'b'), addBoth('b', 'a')]);
    expect(runs).toBeGreaterThan(2);
    expect([await readCounterValue('a'), await readCounterValue('b')]).toEqual([2, 2]);
  });

  test('rejects after six serialization failures and calls no callback', async () => {
    let runs = 0;
    let called = false;
    const failing = unitOfWork.run(async () => {
      runs += 1;
      unitOfWork.afterCommit(() => (called = true));
      await unitOfWork.executor.query(`DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$`);
    });
    await expect(failing).rejects.toMatchObject({ driverError: { code: '40001' } });
    expect([runs, called]).toEqual([6, false]);
  });

  test('runs callbacks after the commit, in order, outside the transaction and despite errors of callbacks', async () => {
    const calls: string[] = [];
    await unitOfWork.run(async () => {
      unitOfWork.afterCommit(() => calls.push(`first, in transaction: ${unitOfWork.isInTransaction}`));
      unitOfWork.afterCommit(() => {
        throw new Error('a callback failed');
      });
      await unitOfWork.run(async () => unitOfWork.afterCommit(() => calls.push('second')));
      await incrementCounter('a');
      calls.push('work');
    });
    expect(calls).toEqual(['work', 'first, in transaction: false', 'second']);
    unitOfWork.afterCommit(() => calls.push('outside a transaction'));
    expect(calls.at(-1)).toBe('outside a transaction');
  });

  test('rejects queries outside the current transaction, on any database of the process', async () => {
    const otherUnitOfWork = new UnitOfWork(beta.dataSource, 'alpha');
    const attempts: (() => Promise<unknown>)[] = [
      () => app.dataSource.query('SELECT 1'),
      () => app.dataSource.getRepository(Counter).find(),
      () => app.dataSource.transaction(() => Promise.resolve()),
      () => beta.dataSource.manager.find(Counter),
      () => otherUnitOfWork.executor.query('SELECT 1'),
      () => otherUnitOfWork.run(() => Promise.resolve()),
    ];
    for (const attempt of attempts) {
      await expect(unitOfWork.run(attempt)).rejects.toBeInstanceOf(QueryOutsideTransactionError);
    }
    await expect(app.dataSource.query('SELECT 1')).resolves.toHaveLength(1);
  });

  test('rejects a query that its work issued but did not await', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const end = Promise.withResolvers<void>();
    await unitOfWork.run(async () => {
      const { manager } = unitOfWork;
      late = end.promise.then(() => manager.query('SELECT 1'));
      await incrementCounter('a');
    });
    end.resolve();
    await expect(late).rejects.toThrow();
    expect(await readCounterValue('a')).toBe(1);
  });

  test('commits a query separately that its work issues after the end of the transaction', async () => {
    let later: Promise<unknown> = Promise.resolve();
    const end = Promise.withResolvers<void>();
    await unitOfWork.run(async () => {
      later = end.promise.then(() => incrementCounter('b'));
      await incrementCounter('a');
    });
    end.resolve();
    await later;
    expect([await readCounterValue('a'), await readCounterValue('b')]).toEqual([1, 1]);
  });

  test('runInNewTransaction commits although the outer transaction is rolled back', async () => {
    const rejected = unitOfWork.run(async () => {
      await incrementCounter('a');
      await unitOfWork.runInNewTransaction(() => incrementCounter('b'));
      throw new Error('rejected');
    });
    await expect(rejected).rejects.toThrow('rejected');
    expect([await readCounterValue('a'), await readCounterValue('b')]).toEqual([0, 1]);
  });

  test('runs concurrent calls of run in separate transactions', async () => {
    let open = 0;
    const pids = await Promise.all(
      [1, 2, 3].map(() =>
        unitOfWork.run(async () => {
          open += 1;
          await waitUntil('three open transactions', () => open === 3);
          const [row] = await unitOfWork.executor.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          return row?.pid;
        }),
      ),
    );
    expect(new Set(pids).size).toBe(3);
  });

  test('query returns the rows of UPDATE … RETURNING', async () => {
    const rows = await unitOfWork.executor.query(
      `UPDATE alpha.counter SET value = 5 WHERE id = 'a' RETURNING id, value`,
    );
    expect(rows).toEqual([{ id: 'a', value: 5 }]);
  });

  test('reads 64-bit integers as numbers and throws if a number cannot represent the value exactly', async () => {
    await admin.query(`UPDATE alpha.counter SET value = 9007199254740991 WHERE id = 'a'`);
    expect((await unitOfWork.manager.findOneByOrFail(Counter, { id: 'a' })).value).toBe(Number.MAX_SAFE_INTEGER);
    await admin.query(`UPDATE alpha.counter SET value = 9007199254740992 WHERE id = 'a'`);
    await expect(unitOfWork.manager.findOneBy(Counter, { id: 'a' })).rejects.toThrow('not a safe number');
    expect(await unitOfWork.executor.query('SELECT ARRAY[1, NULL, 3]::bigint[] AS list')).toEqual([
      { list: [1, null, 3] },
    ]);
  });

  test('throws DatabaseUnavailableError when the connection is terminated in a transaction, and works afterwards', async () => {
    const terminated = unitOfWork.run(async () => {
      const [row] = await unitOfWork.executor.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await admin.query('SELECT pg_terminate_backend($1)', [row?.pid]);
      await sleep(50);
      await incrementCounter('a').catch(() => undefined);
    });
    await expect(terminated).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await unitOfWork.run(() => incrementCounter('a'));
    expect(await readCounterValue('a')).toBe(1);
  });

  test('throws DatabaseUnavailableError when a lock or a connection is not acquired before the timeout', async () => {
    const shortTimeouts = await openCounterApp({ lockTimeoutMs: 100, poolSize: 1, connectTimeoutMs: 500 });
    const shortTimeoutsUnitOfWork = new UnitOfWork(shortTimeouts.dataSource, 'alpha');
    await admin.query(`BEGIN; UPDATE alpha.counter SET value = 1 WHERE id = 'a'`);
    try {
      const locked = shortTimeoutsUnitOfWork.run(() =>
        shortTimeoutsUnitOfWork.executor.query('UPDATE alpha.counter SET value = 2'),
      );
      await expect(locked).rejects.toBeInstanceOf(DatabaseUnavailableError);
    } finally {
      await admin.query('ROLLBACK');
    }
    const exhausting = shortTimeoutsUnitOfWork.run(() =>
      shortTimeoutsUnitOfWork.runInNewTransaction(() => Promise.resolve()),
    );
    await expect(exhausting).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await shortTimeouts.close();
  });
});
