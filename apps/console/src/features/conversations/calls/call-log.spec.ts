import { expect, test } from '@jest/globals';
import { isMissed } from './call-log.js';

test.each([
  ['FROM_WATCH', 'TIMED_OUT', true],
  ['FROM_WATCH', 'CANCELLED', true],
  ['FROM_WATCH', 'BUSY', true],
  ['FROM_WATCH', 'REJECTED', false],
  ['FROM_WATCH', 'ENDED', false],
  ['TO_WATCH', 'TIMED_OUT', false],
] as const)('a call %s that is %s is missed: %s', (direction, state, expected) => {
  expect(isMissed({ direction, state })).toBe(expected);
});
