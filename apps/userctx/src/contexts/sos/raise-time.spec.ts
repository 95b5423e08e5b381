import { expect, test } from '@jest/globals';
import { resolveRaisedAt } from './raise-time.js';

const NOW = 1_790_000_000_000;
const HOUR = 3_600_000;

test.each([
  ['a watch whose clock is unset', undefined, NOW],
  ['a call that waited for a network', NOW - HOUR, NOW - HOUR],
  ['a clock of another century', 0, NOW],
  ['just over a day', NOW - 24 * HOUR - 1, NOW],
  ['a clock that is a little ahead', NOW + 30_000, NOW],
  ['a clock of next year', NOW + 9_000 * HOUR, NOW],
])('%s', (_, said, time) => {
  expect(resolveRaisedAt(said, NOW)).toBe(time);
});
