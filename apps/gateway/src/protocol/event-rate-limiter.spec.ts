import { describe, expect, test } from '@jest/globals';
import { EventRateLimiter } from './event-rate-limiter.js';

function guard() {
  let now = 0;
  const flood = new EventRateLimiter({ perSecond: 10, burst: 3, patience: 2 }, () => now);
  return { judge: () => flood.consume(), pass: (milliseconds: number) => (now += milliseconds) };
}

describe('EventRateLimiter', () => {
  test('passes a burst, refuses what is more, closes when that goes on', () => {
    const { judge } = guard();
    expect([1, 2, 3, 4, 5, 6].map(judge)).toEqual(['pass', 'pass', 'pass', 'refuse', 'refuse', 'close']);
  });

  test('passes the steady rate for ever', () => {
    const { judge, pass } = guard();
    for (let event = 0; event < 1_000; event += 1) {
      expect(judge()).toBe('pass');
      pass(100);
    }
  });

  test('does not forgive a client that keeps just above the rate', () => {
    const { judge, pass } = guard();
    const verdicts = Array.from({ length: 40 }, () => {
      pass(60);
      return judge();
    });
    expect(verdicts).toContain('close');
  });

  test('forgives a client that has been quiet', () => {
    const { judge, pass } = guard();
    [1, 2, 3, 4, 5].forEach(judge);
    pass(300);
    expect([1, 2, 3, 4, 5].map(judge)).toEqual(['pass', 'pass', 'pass', 'refuse', 'refuse']);
  });
});
