import { expect, test } from '@jest/globals';
import { atMost, mustBeZero, withoutTimeGoal } from './result.js';

test('withoutTimeGoal removes the goal of a time and keeps that of a guarantee', () => {
  expect(withoutTimeGoal(atMost('B2', 'p99', 30, 25, 'ms'))).toEqual({ bench: 'B2', what: 'p99', value: '30 ms' });
  expect(withoutTimeGoal(mustBeZero('B2', 'lost', 1))).toMatchObject({ goal: '≤ 0', passed: false });
});
