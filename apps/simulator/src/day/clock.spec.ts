import { expect, it } from '@jest/globals';
import { wallClockTime } from './clock.js';

it.each([
  ['2026-03-06T00:00:00Z', 'UTC', '00:00'],
  ['2026-03-06T00:00:00Z', 'Asia/Shanghai', '08:00'],
  ['2026-03-06T18:34:59Z', 'Asia/Kolkata', '00:04'],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', '03:00'],
])('at %s the local time in %s is %s', (time, timeZone, shown) => {
  expect(wallClockTime(Date.parse(time), timeZone)).toBe(shown);
});
