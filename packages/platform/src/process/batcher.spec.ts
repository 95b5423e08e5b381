import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from '@jest/globals';
import { Batcher } from './batcher.js';

/** A batcher whose batches end when the test says so. */
function heldBatcher(maxBatch = 100, maxWaiting = 100) {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const batcher = new Batcher<number, number>({
    maxBatch,
    maxWaiting,
    process: (items) => {
      batches.push([...items]);
      return new Promise((resolve) => ends.push(() => resolve(items.map((item) => item * 10))));
    },
  });
  return { batcher, batches, endBatch: () => ends.shift()?.() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('Batcher', () => {
  test('collects what arrives while a batch is under way', async () => {
    const { batcher, batches, endBatch } = heldBatcher();
    const first = batcher.submit(1);
    await turn();
    const rest = [batcher.submit(2), batcher.submit(3)];
    await turn();
    expect(batches).toEqual([[1]]);
    endBatch();
    expect(await first).toBe(10);
    await turn();
    expect(batches).toEqual([[1], [2, 3]]);
    endBatch();
    expect(await Promise.all(rest)).toEqual([20, 30]);
  });

  test('takes what one turn submits as one batch, in parts of the largest size', async () => {
    const { batcher, batches, endBatch } = heldBatcher(2);
    const results = [1, 2, 3].map((item) => batcher.submit(item));
    await turn();
    endBatch();
    await turn();
    endBatch();
    expect(await Promise.all(results)).toEqual([10, 20, 30]);
    expect(batches).toEqual([[1, 2], [3]]);
  });

  test('fills as many lanes as it has, and not one more', async () => {
    const ends: (() => void)[] = [];
    const batches: number[][] = [];
    const process = (items: readonly number[]): Promise<number[]> => {
      batches.push([...items]);
      return new Promise((resolve) => ends.push(() => resolve([...items])));
    };
    const batcher = new Batcher<number, number>({ process, maxBatch: 2, maxWaiting: 10, maxConcurrentBatches: 2 });
    const results = [1, 2, 3, 4, 5].map((item) => batcher.submit(item));
    await turn();
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    ends[1]?.();
    await turn();
    expect(batches.at(-1)).toEqual([5]);
    ends[0]?.();
    ends[2]?.();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5]);
    await batcher.idle();
    const late = batcher.submit(6);
    await turn();
    ends[3]?.();
    expect(await late).toBe(6);
  });

  test('refuses at once when too many wait, and takes again afterwards', async () => {
    const { batcher, endBatch } = heldBatcher(1, 2);
    const running = batcher.submit(1);
    await turn();
    const waiting = [batcher.submit(2), batcher.submit(3)];
    await expect(batcher.submit(4)).rejects.toMatchObject({ reason: 'OVERLOADED' });
    endBatch();
    await running;
    await turn();
    const again = batcher.submit(5);
    for (let batch = 0; batch < 3; batch += 1) {
      await turn();
      endBatch();
    }
    expect(await Promise.all([...waiting, again])).toEqual([20, 30, 50]);
    await batcher.idle();
  });

  test('refuses only the item that spoils a batch', async () => {
    const sizes: number[] = [];
    const batcher = new Batcher<number, number>({
      maxBatch: 100,
      maxWaiting: 100,
      shouldBisect: () => true,
      process: async (items) => {
        sizes.push(items.length);
        if (items.includes(13)) throw new Error('unlucky');
        return items;
      },
    });
    const outcomes = await Promise.allSettled([11, 12, 13, 14].map((item) => batcher.submit(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(sizes).toEqual([4, 2, 2, 1, 1]);
  });

  test('refuses the whole batch for an error that hits every item', async () => {
    let calls = 0;
    const batcher = new Batcher<number, number>({
      maxBatch: 100,
      maxWaiting: 100,
      shouldBisect: () => false,
      process: async () => {
        calls += 1;
        throw new Error('away');
      },
    });
    const outcomes = await Promise.allSettled([1, 2].map((item) => batcher.submit(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(calls).toBe(1);
  });

  test('does not work in the asynchronous context of whoever submits', async () => {
    const units = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const batcher = new Batcher<number, void>({
      maxBatch: 1,
      maxWaiting: 10,
      process: async () => {
        seen.push(units.getStore());
        return [];
      },
    });
    await units.run('open unit', () => Promise.all([batcher.submit(1), batcher.submit(2)]));
    expect(seen).toEqual([undefined, undefined]);
  });

  test('with a linger, the first item waits for those that come soon after it', async () => {
    const batches: (readonly number[])[] = [];
    const batcher = new Batcher<number, number>({
      process: async (items) => {
        batches.push(items);
        return items;
      },
      maxBatch: 10,
      maxWaiting: 10,
      lingerMs: 30,
    });
    const first = batcher.submit(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = batcher.submit(2);
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    expect(batches).toEqual([[1, 2]]);
  });

  test('opens another lane only for who has waited too long', async () => {
    const batches: number[][] = [];
    const ends: (() => void)[] = [];
    const batcher = new Batcher<number, number>({
      maxBatch: 10,
      maxWaiting: 10,
      maxConcurrentBatches: 2,
      laneWaitMs: 40,
      process: (items) => {
        batches.push([...items]);
        return new Promise((resolve) => ends.push(() => resolve([...items])));
      },
    });
    const first = batcher.submit(1);
    await turn();
    const begun = performance.now();
    const others = [batcher.submit(2), batcher.submit(3)];
    await turn();
    expect(batches).toEqual([[1]]);
    while (batches.length < 2) await turn();
    expect(performance.now() - begun).toBeGreaterThanOrEqual(39);
    expect(batches).toEqual([[1], [2, 3]]);
    ends.forEach((end) => end());
    expect(await Promise.all([first, ...others])).toEqual([1, 2, 3]);
    await batcher.idle();
  });

  test('does not open another lane for who was taken along in time', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>({
      maxBatch: 10,
      maxWaiting: 10,
      maxConcurrentBatches: 2,
      laneWaitMs: 30,
      process: async (items) => {
        batches.push([...items]);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return [...items];
      },
    });
    const results = [batcher.submit(1)];
    await turn();
    results.push(batcher.submit(2), batcher.submit(3));
    await Promise.all(results);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(batches).toEqual([[1], [2, 3]]);
    await batcher.idle();
  });
});
