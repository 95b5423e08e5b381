import { describe, expect, test } from '@jest/globals';
import { reconnectAdvice } from './reconnect-advice.js';

describe('reconnectAdvice', () => {
  test('is a moment for a few connections', () => {
    expect(reconnectAdvice(1)).toEqual({ minDelay: 100, maxDelay: 401 });
  });

  test('spreads many connections so that two thousand come back in a second', () => {
    expect(reconnectAdvice(20_000)).toEqual({ minDelay: 100, maxDelay: 10_400 });
  });

  test('never asks for more than half a minute', () => {
    expect(reconnectAdvice(1_000_000).maxDelay).toBe(30_000);
  });
});
