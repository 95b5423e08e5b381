import { describe, expect, test } from '@jest/globals';
import { Semaphore } from './semaphore.js';

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

describe('Turnstile', () => {
  test('lets so many in at once, in order, and gives what the work gives', async () => {
    const turnstile = new Semaphore(3);
    const began: number[] = [];
    let inside = 0;
    let most = 0;
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        turnstile.run(async () => {
          began.push(index);
          inside += 1;
          most = Math.max(most, inside);
          await pause();
          inside -= 1;
          return index;
        }),
      ),
    );
    expect(most).toBe(3);
    expect(began).toEqual(results);
  });

  test('work that fails leaves its place', async () => {
    const turnstile = new Semaphore(1);
    const failing = turnstile.run(() => Promise.reject(new Error('no')));
    const after = turnstile.run(async () => 'in');
    await expect(failing).rejects.toThrow('no');
    expect(await after).toBe('in');
    expect(await turnstile.run(async () => 'again')).toBe('again');
  });
});
