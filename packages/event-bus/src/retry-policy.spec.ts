import { describe, expect, test } from '@jest/globals';
import { backoffMs } from './retry-policy.js';

const POLICY = { baseDelayMs: 100, maxDelayMs: 1_000 };

describe('backoffMs', () => {
  test('doubles the delay per attempt, from the base delay up to the maximum delay', () => {
    const delays = [1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(POLICY, attempt, () => 1));
    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  test('returns at least half of the nominal delay', () => {
    expect(backoffMs(POLICY, 3, () => 0)).toBe(200);
  });

  test('returns a finite delay when the power of two exceeds the range of floating-point numbers', () => {
    expect(backoffMs(POLICY, 5_000, () => 1)).toBe(1_000);
  });
});
