import { describe, expect, jest, test } from '@jest/globals';
import { FamilyEventMonitor } from './family-event-monitor.js';

describe('FamilyEventMonitor', () => {
  test('an event resolves only the waits for principals that the event lists', async () => {
    const monitor = new FamilyEventMonitor();
    const resolved: string[] = [];
    const waits = [
      monitor.waitForNext('user:a', 60).then(() => resolved.push('a')),
      monitor.waitForNext('user:a', 60).then(() => resolved.push('a')),
      monitor.waitForNext('user:b', 60).then(() => resolved.push('b')),
    ];
    expect(monitor.waiterCount).toBe(3);
    monitor.recordEvent(['user:a', 'user:c'], Date.now());
    expect(monitor.waiterCount).toBe(1);
    await Promise.all(waits);
    expect(resolved).toEqual(['a', 'a', 'b']);
    expect(monitor.waiterCount).toBe(0);
  });

  test('reports a lag after a late event, until an event arrives in time or 20 seconds pass', () => {
    jest.useFakeTimers({ now: 1_000_000 });
    try {
      const monitor = new FamilyEventMonitor();
      expect(monitor.isLagging).toBe(false);
      monitor.recordEvent([], Date.now() - 5_001);
      expect(monitor.isLagging).toBe(true);
      monitor.recordEvent([], Date.now() - 5_000);
      expect(monitor.isLagging).toBe(false);
      monitor.recordEvent([], Date.now() - 100_000);
      jest.advanceTimersByTime(20_000);
      expect(monitor.isLagging).toBe(false);
    } finally {
      jest.useRealTimers();
    }
  });
});
