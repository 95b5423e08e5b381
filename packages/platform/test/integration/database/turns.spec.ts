import { describe, expect, test } from '@jest/globals';
import { runWithTransaction } from '@family-watch/platform/database/transaction-context';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { runAs } from '@family-watch/platform/concurrency/work-priority';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { app, openCounterApp, unitOfWork, useCounterDatabase } from '../../support/counter-database.js';

useCounterDatabase({ poolSize: 4, connectTimeoutMs: 60_000, lockTimeoutMs: 60_000 });

const query = () => unitOfWork.executor.query('SELECT 1');
const usedConnections = () => app.poolStatus.open - app.poolStatus.idle;

/** Starts a transaction that has the turn of the key until the test ends it. */
async function holdTurn(key: string): Promise<() => Promise<void>> {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let isHeld = false;
  const transaction = unitOfWork.run(async () => {
    await query();
    unitOfWork.takeTurn(key);
    isHeld = true;
    await ended;
  });
  await waitUntil('the turn', () => isHeld);
  return () => {
    end();
    return transaction;
  };
}

describe('turns of transactions', () => {
  test('A37 transactions that wait for the turn of a family occupy no connection', async () => {
    const endTurn = await holdTurn('family');
    let attempts = 0;
    let done = 0;
    const waiting = Array.from({ length: 20 }, (_, index) =>
      runAs(
        'caller',
        () =>
          unitOfWork.run(async () => {
            attempts += 1;
            await query();
            unitOfWork.takeTurn('family');
            await query();
            done += 1;
          }),
        `user:${index}`,
      ),
    );
    await waitUntil('all transactions to need the turn', () => attempts === 20 && usedConnections() === 1);
    expect([done, await unitOfWork.run(async () => 'another family')]).toEqual([0, 'another family']);
    await endTurn();
    await Promise.all(waiting);
    expect([done, attempts]).toEqual([20, 40]);
  });

  test('two transactions that need two turns in opposite order both succeed', async () => {
    const order: string[] = [];
    const inOrder = (first: string, second: string) =>
      unitOfWork.run(async () => {
        unitOfWork.takeTurn(first);
        await query();
        unitOfWork.takeTurn(second);
        await query();
        order.push(first);
      });
    await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? inOrder('a', 'b') : inOrder('b', 'a'))));
    expect(order.sort().join('')).toBe('aaaaabbbbb');
  });

  test('a transaction is not committed without its turn, although its work has caught the error', async () => {
    const endTurn = await holdTurn('family');
    const outcomes: string[] = [];
    const transaction = unitOfWork.run(async () => {
      try {
        unitOfWork.takeTurn('family');
        outcomes.push('has the turn');
      } catch {
        outcomes.push('continues');
      }
    });
    await waitUntil('the first attempt', () => outcomes.length === 1);
    await endTurn();
    await transaction;
    expect(outcomes).toEqual(['continues', 'has the turn']);
  });

  test('the transaction of an SOS gets the next turn', async () => {
    const endTurn = await holdTurn('family');
    const order: string[] = [];
    let attempts = 0;
    const change = (workPriority: 'caller' | 'emergency') =>
      runAs(
        workPriority,
        () =>
          unitOfWork.run(async () => {
            attempts += 1;
            unitOfWork.takeTurn('family');
            await query();
            order.push(workPriority);
          }),
        'watch:1',
      );
    const others = Array.from({ length: 5 }, () => change('caller'));
    await waitUntil('the others to need the turn', () => attempts === 5 && usedConnections() === 1);
    const sos = change('emergency');
    await waitUntil('the SOS to need the turn', () => attempts === 6 && usedConnections() === 1);
    await endTurn();
    await Promise.all([...others, sos]);
    expect(order).toEqual(['emergency', 'caller', 'caller', 'caller', 'caller', 'caller']);
  });

  test('a turn ends with a transaction that fails', async () => {
    const failing = unitOfWork.run(async () => {
      unitOfWork.takeTurn('family');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expect(unitOfWork.run(async () => unitOfWork.takeTurn('family'))).resolves.toBeUndefined();
  });

  test('A37 a wait for a turn ends with a reason that names the cause', async () => {
    const limits = { poolSize: 4, lockTimeoutMs: 50 };
    const impatient = await openCounterApp(limits);
    try {
      const work = new UnitOfWork(impatient.dataSource, 'alpha');
      const take = (workPriority: 'internal' | 'caller', owner?: string) =>
        runAs(workPriority, () => work.run(async () => work.takeTurn('family')), owner).catch(
          (error: unknown) => error,
        );
      const outcomes = runAs(
        'caller',
        () =>
          work.run(async () => {
            work.takeTurn('family');
            return runWithTransaction(undefined, () =>
              Promise.all([take('caller', 'user:a'), take('caller', 'user:b'), take('internal')]),
            );
          }),
        'user:a',
      );
      expect(await outcomes).toMatchObject([
        { reason: 'TOO_MANY_CONCURRENT_REQUESTS', retryAfter: 2 },
        { reason: 'OVERLOADED', retryAfter: 2 },
        { name: 'DatabaseUnavailableError' },
      ]);
    } finally {
      await impatient.close();
    }
  });
});
