import { describe, expect, test } from '@jest/globals';
import { reconnectAdvice } from './reconnect-advice.js';

describe('reconnectAdvice', () => {
  test('returns a short delay for a few connections', () => {
    expect(reconnectAdvice(1)).toEqual({ minDelay: 100, maxDelay: 401 });
  });

  test('spreads the reconnects of many connections to two thousand per second', () => {
    expect(reconnectAdvice(20_000)).toEqual({ minDelay: 100, maxDelay: 10_400 });
  });

  test('never returns a delay of more than thirty seconds', () => {
    expect(reconnectAdvice(1_000_000).maxDelay).toBe(30_000);
  });
});
