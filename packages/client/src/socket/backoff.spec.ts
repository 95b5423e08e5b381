import { describe, expect, it } from '@jest/globals';
import { Backoff } from './backoff.js';

const many = <Result>(work: () => Result): Result[] => Array.from({ length: 500 }, work);

describe('Backoff', () => {
  it('waits longer each time, up to ten seconds, and starts again after a success', () => {
    const backoff = new Backoff();
    const waits = Array.from({ length: 9 }, () => backoff.nextDelay());
    expect(waits[0]).toBeGreaterThanOrEqual(187);
    expect(waits[0]).toBeLessThanOrEqual(313);
    expect(waits[4]).toBeGreaterThan(2_900);
    expect(Math.max(...waits)).toBeLessThanOrEqual(12_500);
    backoff.reset();
    expect(backoff.nextDelay()).toBeLessThanOrEqual(313);
  });

  it('spreads the first return over what the service advises', () => {
    const waits = many(() => {
      const backoff = new Backoff();
      backoff.applyAdvice({ minDelay: 1_000, maxDelay: 9_000 });
      return backoff.nextDelay();
    });
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(9_000);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(6_000);
  });

  it('keeps the newest advice, and never returns sooner because it failed', () => {
    const backoff = new Backoff();
    backoff.applyAdvice({ minDelay: 10, maxDelay: 20 });
    backoff.applyAdvice({ minDelay: 5_000, maxDelay: 6_000 });
    backoff.applyAdvice(undefined);
    expect(backoff.nextDelay()).toBeGreaterThanOrEqual(5_000);
    expect(backoff.nextDelay()).toBeGreaterThanOrEqual(5_000);
  });

  it('adds what the service asked for', () => {
    expect(new Backoff().nextDelay(60)).toBeGreaterThan(60_000);
  });
});
