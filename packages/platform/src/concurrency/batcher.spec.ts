import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from '@jest/globals';
import { Batcher } from './batcher.js';

type Options = ConstructorParameters<typeof Batcher<number, number>>[0];

/** A batcher that multiplies by ten; its batches end when the test calls `endBatch`. */
function createControlledBatcher(options: Partial<Options> = {}) {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const batcher = new Batcher<number, number>({
    maxBatchSize: 100,
    maxWaitingItems: 100,
    process: (items) => {
      batches.push([...items]);
      return new Promise((resolve) => ends.push(() => resolve(items.map((item) => item * 10))));
    },
    ...options,
  });
  return { batcher, batches, endBatch: (index = 0) => ends.splice(index, 1)[0]?.() };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('Batcher', () => {
  test('collects items that arrive during a batch into the next batch', async () => {
    const { batcher, batches, endBatch } = createControlledBatcher();
    const first = batcher.submit(1);
    await nextTurn();
    const rest = [batcher.submit(2), batcher.submit(3)];
    await nextTurn();
    expect(batches).toEqual([[1]]);
    endBatch();
    expect(await first).toBe(10);
    await nextTurn();
    expect(batches).toEqual([[1], [2, 3]]);
    endBatch();
    expect(await Promise.all(rest)).toEqual([20, 30]);
  });

  test('processes items of one event loop turn together, in batches of at most the maximum size', async () => {
    const { batcher, batches, endBatch } = createControlledBatcher({ maxBatchSize: 2 });
    const results = [1, 2, 3].map((item) => batcher.submit(item));
    await nextTurn();
    endBatch();
    await nextTurn();
    endBatch();
    expect(await Promise.all(results)).toEqual([10, 20, 30]);
    expect(batches).toEqual([[1, 2], [3]]);
  });

  test('runs at most the maximum number of concurrent batches', async () => {
    const { batcher, batches, endBatch } = createControlledBatcher({ maxBatchSize: 2, maxConcurrentBatches: 2 });
    const results = [1, 2, 3, 4, 5].map((item) => batcher.submit(item));
    await nextTurn();
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    endBatch(1);
    await nextTurn();
    expect(batches.at(-1)).toEqual([5]);
    endBatch();
    endBatch();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
    await batcher.waitUntilIdle();
    const late = batcher.submit(6);
    await nextTurn();
    endBatch();
    expect(await late).toBe(60);
  });

  test('rejects immediately when too many items wait and accepts items again afterwards', async () => {
    const { batcher, endBatch } = createControlledBatcher({ maxBatchSize: 1, maxWaitingItems: 2 });
    const running = batcher.submit(1);
    await nextTurn();
    const queued = [batcher.submit(2), batcher.submit(3)];
    await expect(batcher.submit(4)).rejects.toMatchObject({ reason: 'OVERLOADED' });
    endBatch();
    await running;
    await nextTurn();
    const retried = batcher.submit(5);
    for (let batch = 0; batch < 3; batch += 1) {
      await nextTurn();
      endBatch();
    }
    expect(await Promise.all([...queued, retried])).toEqual([20, 30, 50]);
    await batcher.waitUntilIdle();
  });

  test('rejects only the failing item of a batch and processes the others', async () => {
    const sizes: number[] = [];
    const batcher = new Batcher<number, number>({
      maxBatchSize: 100,
      maxWaitingItems: 100,
      shouldBisect: () => true,
      process: async (items) => {
        sizes.push(items.length);
        if (items.includes(13)) throw new Error('invalid item');
        return items;
      },
    });
    const outcomes = await Promise.allSettled([11, 12, 13, 14].map((item) => batcher.submit(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(sizes).toEqual([4, 2, 2, 1, 1]);
  });

  test('rejects all items of a batch for an error that affects every item', async () => {
    let calls = 0;
    const batcher = new Batcher<number, number>({
      maxBatchSize: 100,
      maxWaitingItems: 100,
      shouldBisect: () => false,
      process: async () => {
        calls += 1;
        throw new Error('unavailable');
      },
    });
    const outcomes = await Promise.allSettled([1, 2].map((item) => batcher.submit(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(calls).toBe(1);
  });

  test('processes items outside the asynchronous context of their submitters', async () => {
    const contexts = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const batcher = new Batcher<number, void>({
      maxBatchSize: 1,
      maxWaitingItems: 10,
      process: async () => {
        seen.push(contexts.getStore());
        return [];
      },
    });
    await contexts.run('submitter', () => Promise.all([batcher.submit(1), batcher.submit(2)]));
    expect(seen).toEqual([undefined, undefined]);
  });

  test('waits `lingerMs` for further items before the first batch', async () => {
    const { batcher, batches, endBatch } = createControlledBatcher({ lingerMs: 30 });
    const first = batcher.submit(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = batcher.submit(2);
    while (batches.length === 0) await nextTurn();
    endBatch();
    expect(await Promise.all([first, second])).toEqual([10, 20]);
    expect(batches).toEqual([[1, 2]]);
  });

  test('starts another batch only when an item has waited `concurrentBatchDelayMs`', async () => {
    const { batcher, batches, endBatch } = createControlledBatcher({
      maxConcurrentBatches: 2,
      concurrentBatchDelayMs: 40,
    });
    const first = batcher.submit(1);
    await nextTurn();
    const begun = performance.now();
    const later = [batcher.submit(2), batcher.submit(3)];
    await nextTurn();
    expect(batches).toEqual([[1]]);
    while (batches.length < 2) await nextTurn();
    expect(performance.now() - begun).toBeGreaterThanOrEqual(39);
    expect(batches).toEqual([[1], [2, 3]]);
    endBatch();
    endBatch();
    expect(await Promise.all([first, ...later])).toEqual([10, 20, 30]);
    await batcher.waitUntilIdle();
  });

  test('does not start another batch for items that joined a batch before `concurrentBatchDelayMs`', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>({
      maxBatchSize: 10,
      maxWaitingItems: 10,
      maxConcurrentBatches: 2,
      concurrentBatchDelayMs: 30,
      process: async (items) => {
        batches.push([...items]);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return [...items];
      },
    });
    const results = [batcher.submit(1)];
    await nextTurn();
    results.push(batcher.submit(2), batcher.submit(3));
    await Promise.all(results);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(batches).toEqual([[1], [2, 3]]);
    await batcher.waitUntilIdle();
  });
});
