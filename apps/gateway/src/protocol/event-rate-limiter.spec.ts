import { describe, expect, test } from '@jest/globals';
import { EventRateLimiter } from './event-rate-limiter.js';

function createLimiter() {
  let now = 0;
  const limiter = new EventRateLimiter({ perSecond: 10, burst: 3, maxRejections: 2 }, () => now);
  return { consume: () => limiter.consume(), wait: (milliseconds: number) => (now += milliseconds) };
}

describe('EventRateLimiter', () => {
  test('passes a burst, rejects further events and closes the connection after too many rejections', () => {
    const { consume } = createLimiter();
    expect([1, 2, 3, 4, 5, 6].map(consume)).toEqual(['pass', 'pass', 'pass', 'reject', 'reject', 'close']);
  });

  test('passes any number of events at the permitted rate', () => {
    const { consume, wait } = createLimiter();
    for (let event = 0; event < 1_000; event += 1) {
      expect(consume()).toBe('pass');
      wait(100);
    }
  });

  test('closes the connection of a client that stays just above the rate', () => {
    const { consume, wait } = createLimiter();
    const decisions = Array.from({ length: 40 }, () => {
      wait(60);
      return consume();
    });
    expect(decisions).toContain('close');
  });

  test('resets the count of rejected events after a client has sent nothing for a while', () => {
    const { consume, wait } = createLimiter();
    [1, 2, 3, 4, 5].forEach(consume);
    wait(300);
    expect([1, 2, 3, 4, 5].map(consume)).toEqual(['pass', 'pass', 'pass', 'reject', 'reject']);
  });
});
