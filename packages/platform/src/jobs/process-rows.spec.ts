import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { ConcurrentRows, processRows } from './process-rows.js';

const PAGE_SIZE = 2;
const ROWS = [1, 2, 3, 4, 5];

const findPage = (after = 0) => Promise.resolve(ROWS.filter((row) => row > after).slice(0, PAGE_SIZE));

test('processRows processes the rows of all pages although the rows of the first page fail', async () => {
  const [processed, failed] = [new Array<number>(), new Array<unknown>()];
  await processRows(
    findPage,
    (row) => {
      if (row <= PAGE_SIZE) return Promise.reject(new Error(`row ${row}`));
      processed.push(row);
      return Promise.resolve();
    },
    (row, error) => failed.push([row, String(error)]),
  );
  expect(processed).toEqual([3, 4, 5]);
  expect(failed).toEqual([
    [1, 'Error: row 1'],
    [2, 'Error: row 2'],
  ]);
});

test('processRows rejects when the rows cannot be read', async () => {
  const unavailable = new Error('unavailable');
  const processing = processRows(
    () => Promise.reject(unavailable),
    () => Promise.resolve(),
    () => undefined,
  );
  await expect(processing).rejects.toBe(unavailable);
});

describe('ConcurrentRows', () => {
  /** Rows of a queue, each `<key><number>`, of which a claim takes one of each key. The test ends their processing. */
  function createQueue(rows: string[], maxRunning: number) {
    const started: string[] = [];
    const ends = new Map<string, PromiseWithResolvers<void>>();
    const failures: string[] = [];
    const queue = new ConcurrentRows<string>({
      maxRunning,
      claim: async (limit, exceptKeys) => {
        const free = [...new Set(rows.map((row) => row.slice(0, 1)))].filter((key) => !exceptKeys.includes(key));
        const claimed = free.slice(0, limit).map((key) => rows.find((row) => row.startsWith(key)) ?? '');
        for (const row of claimed) rows.splice(rows.indexOf(row), 1);
        return Promise.resolve(claimed);
      },
      keyOf: (row) => row.slice(0, 1),
      process: (row) => {
        started.push(row);
        const end = Promise.withResolvers<void>();
        ends.set(row, end);
        return end.promise;
      },
      onFailure: (row) => failures.push(row),
    });
    return { queue, started, ends, failures };
  }

  test('starts a row of another key while a row does not end, and the next row of the same key after it', async () => {
    const { queue, started, ends } = createQueue(['a1', 'a2', 'b1', 'b2'], 3);
    await queue.startDue();
    expect(started).toEqual(['a1', 'b1']);
    ends.get('b1')?.resolve();
    await nextTurn();
    await queue.startDue();
    expect(started).toEqual(['a1', 'b1', 'b2']);
  });

  test('claims no more rows than places are free, also after a failed row', async () => {
    const { queue, started, ends, failures } = createQueue(['a1', 'b1', 'c1'], 2);
    await queue.startDue();
    expect(started).toEqual(['a1', 'b1']);
    await queue.startDue();
    expect(started).toEqual(['a1', 'b1']);
    ends.get('a1')?.reject(new Error('a1'));
    await nextTurn();
    await queue.startDue();
    expect([started, failures]).toEqual([['a1', 'b1', 'c1'], ['a1']]);
  });

  test('claims a row of another key before the next row of a key whose rows end immediately', async () => {
    const rows = ['a1', 'a2', 'a3', 'b1'];
    const started: string[] = [];
    const queue = new ConcurrentRows<string>({
      maxRunning: 2,
      claim: async (_limit, exceptKeys) => {
        await nextTurn();
        const index = rows.findIndex((row) => !exceptKeys.includes(row.slice(0, 1)));
        return index < 0 ? [] : rows.splice(index, 1);
      },
      keyOf: (row) => row.slice(0, 1),
      process: async (row) => Promise.resolve(void started.push(row)),
      onFailure: () => undefined,
    });
    while (rows.length > 0) {
      await queue.startDue();
      await nextTurn();
    }
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('stop resolves when the claimed rows have ended, and no row is claimed after it', async () => {
    const { queue, started, ends } = createQueue(['a1', 'a2'], 2);
    await queue.startDue();
    let isStopped = false;
    const stopped = queue.stop().then(() => (isStopped = true));
    await queue.startDue();
    expect([isStopped, started]).toEqual([false, ['a1']]);
    ends.get('a1')?.resolve();
    await stopped;
    await queue.startDue();
    expect(started).toEqual(['a1']);
  });
});
