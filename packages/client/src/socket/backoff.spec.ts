import { describe, expect, test } from '@jest/globals';
import { Backoff } from './backoff.js';

const run500Times = <Result>(work: () => Result): Result[] => Array.from({ length: 500 }, work);

describe('Backoff', () => {
  test('increases the delay up to ten seconds and starts again with the initial delay after reset', () => {
    const backoff = new Backoff();
    const delays = Array.from({ length: 9 }, () => backoff.nextDelay());
    expect(delays[0]).toBeGreaterThanOrEqual(187);
    expect(delays[0]).toBeLessThanOrEqual(313);
    expect(delays[4]).toBeGreaterThan(2_900);
    expect(Math.max(...delays)).toBeLessThanOrEqual(12_500);
    backoff.reset();
    expect(backoff.nextDelay()).toBeLessThanOrEqual(313);
  });

  test('distributes the first reconnection over the time range that the service advises', () => {
    const delays = run500Times(() => {
      const backoff = new Backoff();
      backoff.applyAdvice({ minDelay: 1_000, maxDelay: 9_000 });
      return backoff.nextDelay();
    });
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(9_000);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(6_000);
  });

  test('applies the newest advice and never reconnects earlier than advised after a failure', () => {
    const backoff = new Backoff();
    backoff.applyAdvice({ minDelay: 10, maxDelay: 20 });
    backoff.applyAdvice({ minDelay: 5_000, maxDelay: 6_000 });
    backoff.applyAdvice(undefined);
    expect(backoff.nextDelay()).toBeGreaterThanOrEqual(5_000);
    expect(backoff.nextDelay()).toBeGreaterThanOrEqual(5_000);
  });

  test('adds the seconds of Retry-After to the delay', () => {
    expect(new Backoff().nextDelay(60)).toBeGreaterThan(60_000);
  });
});
