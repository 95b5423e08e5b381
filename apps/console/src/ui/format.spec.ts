import { expect, test } from '@jest/globals';
import { formatBytes, formatClock, formatHours, formatTime, isOwnZone } from './format.js';

test.each([
  [0, '0 min'],
  [45 * 60_000, '45 min'],
  [2 * 3_600_000, '2 hr'],
  [(4 * 60 + 28) * 60_000, '4 hr 28 min'],
])('formatHours of %i ms is "%s"', (duration, text) => {
  expect(formatHours(duration, 'en')).toBe(text);
});

const GB = 1_024 ** 3;

test('bytes are shown in the largest unit in which they are at least one', () => {
  expect([0, 900, 48_213, 1.5 * 1_024 ** 2, 20 * GB].map((bytes) => formatBytes(bytes, 'en'))).toEqual([
    '0 byte',
    '900 byte',
    '47 kB',
    '1.5 MB',
    '20 GB',
  ]);
});

test('a part has the unit of the whole', () => {
  expect(formatBytes(19.96 * GB, 'en', 20 * GB)).toBe('20 GB');
  expect(formatBytes(0.5 * GB, 'en', 20 * GB)).toBe('0.5 GB');
});

test('formatTime and formatClock show hour and minute alike, and name a zone that shows another time', () => {
  const time = new Date(2026, 2, 1, 7, 5).getTime();
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(formatTime(time, 'en')).toBe(formatClock('07:05', 'en'));
  expect(formatTime(time, 'de')).toBe('07:05');
  expect(formatTime(time, 'en', own)).toBe(formatTime(time, 'en'));
  const other = ['Asia/Shanghai', 'America/New_York'].find((zone) => !isOwnZone(zone, time)) ?? '';
  expect(formatTime(Date.UTC(2026, 2, 1, 12), 'en', other)).toMatch(/^\d+:00 [AP]M (GMT\+8|EST)$/u);
});
