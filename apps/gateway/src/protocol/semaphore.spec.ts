import { describe, expect, test } from '@jest/globals';
import { Semaphore } from './semaphore.js';

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

describe('Semaphore', () => {
  test('limits concurrent tasks, starts them in order and returns their results', async () => {
    const semaphore = new Semaphore(3);
    const started: number[] = [];
    let running = 0;
    let maxRunning = 0;
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        semaphore.run(async () => {
          started.push(index);
          running += 1;
          maxRunning = Math.max(maxRunning, running);
          await pause();
          running -= 1;
          return index;
        }),
      ),
    );
    expect(maxRunning).toBe(3);
    expect(started).toEqual(results);
  });

  test('starts the next task after a task has failed', async () => {
    const semaphore = new Semaphore(1);
    const failing = semaphore.run(() => Promise.reject(new Error('no')));
    const after = semaphore.run(async () => 'in');
    await expect(failing).rejects.toThrow('no');
    expect(await after).toBe('in');
    expect(await semaphore.run(async () => 'again')).toBe('again');
  });
});
