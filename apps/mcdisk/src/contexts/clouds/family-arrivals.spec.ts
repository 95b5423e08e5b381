import { describe, expect, jest, test } from '@jest/globals';
import { FamilyArrivals } from './family-arrivals.js';

describe('FamilyArrivals', () => {
  test('wakes who waits for this principal, and nobody else', async () => {
    const arrivals = new FamilyArrivals();
    const woken: string[] = [];
    const waits = [
      arrivals.next('user:a', 60).then(() => woken.push('a')),
      arrivals.next('user:a', 60).then(() => woken.push('a')),
      arrivals.next('user:b', 60).then(() => woken.push('b')),
    ];
    expect(arrivals.waiters).toBe(3);
    arrivals.arrived(['user:a', 'user:c'], Date.now());
    expect(arrivals.waiters).toBe(1);
    await Promise.all(waits);
    expect(woken).toEqual(['a', 'a', 'b']);
    expect(arrivals.waiters).toBe(0);
  });

  test('is behind while news come late, until they come in time or not at all', () => {
    jest.useFakeTimers({ now: 1_000_000 });
    try {
      const arrivals = new FamilyArrivals();
      expect(arrivals.isBehind).toBe(false);
      arrivals.arrived([], Date.now() - 5_001);
      expect(arrivals.isBehind).toBe(true);
      arrivals.arrived([], Date.now() - 5_000);
      expect(arrivals.isBehind).toBe(false);
      arrivals.arrived([], Date.now() - 100_000);
      jest.advanceTimersByTime(60_000);
      expect(arrivals.isBehind).toBe(false);
    } finally {
      jest.useRealTimers();
    }
  });
});
