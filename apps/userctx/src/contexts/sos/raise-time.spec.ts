import { expect, test } from '@jest/globals';
import { resolveRaisedAt } from './raise-time.js';

const NOW = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

test.each([
  ['uses the time of receipt when the watch sends no time', undefined, NOW],
  [
    "uses the watch's time for an SOS that arrives an hour late because of a missing network",
    NOW - HOUR_MS,
    NOW - HOUR_MS,
  ],
  ["uses the time of receipt when the watch's clock shows 1970", 0, NOW],
  ['uses the time of receipt when the SOS is more than a day old', NOW - 24 * HOUR_MS - 1, NOW],
  ["uses the time of receipt when the watch's clock is 30 seconds ahead", NOW + 30_000, NOW],
  ["uses the time of receipt when the watch's clock is a year ahead", NOW + 9_000 * HOUR_MS, NOW],
])('resolveRaisedAt, which determines when an SOS was raised, %s', (_, reportedAt, time) => {
  expect(resolveRaisedAt(reportedAt, NOW)).toBe(time);
});
