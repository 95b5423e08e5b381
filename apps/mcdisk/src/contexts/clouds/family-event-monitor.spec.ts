import { describe, expect, jest, test } from '@jest/globals';
import { FamilyEventMonitor } from './family-event-monitor.js';

describe('FamilyEventMonitor', () => {
  test('wakes who waits for this principal, and nobody else', async () => {
    const arrivals = new FamilyEventMonitor();
    const woken: string[] = [];
    const waits = [
      arrivals.waitForNext('user:a', 60).then(() => woken.push('a')),
      arrivals.waitForNext('user:a', 60).then(() => woken.push('a')),
      arrivals.waitForNext('user:b', 60).then(() => woken.push('b')),
    ];
    expect(arrivals.waiters).toBe(3);
    arrivals.recordEvent(['user:a', 'user:c'], Date.now());
    expect(arrivals.waiters).toBe(1);
    await Promise.all(waits);
    expect(woken).toEqual(['a', 'a', 'b']);
    expect(arrivals.waiters).toBe(0);
  });

  test('is behind while news come late, until they come in time or not at all', () => {
    jest.useFakeTimers({ now: 1_000_000 });
    try {
      const arrivals = new FamilyEventMonitor();
      expect(arrivals.isLagging).toBe(false);
      arrivals.recordEvent([], Date.now() - 5_001);
      expect(arrivals.isLagging).toBe(true);
      arrivals.recordEvent([], Date.now() - 5_000);
      expect(arrivals.isLagging).toBe(false);
      arrivals.recordEvent([], Date.now() - 100_000);
      jest.advanceTimersByTime(60_000);
      expect(arrivals.isLagging).toBe(false);
    } finally {
      jest.useRealTimers();
    }
  });
});
