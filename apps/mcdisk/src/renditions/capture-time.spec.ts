import { expect, test } from '@jest/globals';
import { plausibleCaptureTime, captureTimeOf } from './capture-time.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR_MS = 3_600_000;

test.each([
  ['local time and offset', { localTime: '2026:05:17 14:30:05', utcOffset: '+08:00' }, Date.UTC(2026, 4, 17, 6, 30, 5)],
  [
    'local time and offset west of Greenwich',
    { localTime: '2026:05:17 14:30:05', utcOffset: '-03:30' },
    Date.UTC(2026, 4, 17, 18, 0, 5),
  ],
  [
    'GPS time, preferred to local time without offset',
    { localTime: '2026:05:17 14:30:05', gpsDate: '2026:05:17', gpsTime: [6, 30, 7.5] },
    Date.UTC(2026, 4, 17, 6, 30, 7),
  ],
  ['local time only, which is read as UTC', { localTime: '2026:05:17 14:30:05' }, Date.UTC(2026, 4, 17, 14, 30, 5)],
  [
    'impossible offset, which is ignored',
    { localTime: '2026:05:17 14:30:05', utcOffset: '+25:00' },
    Date.UTC(2026, 4, 17, 14, 30, 5),
  ],
  ['local time east of Greenwich, capped at now', { localTime: '2026:11:21 20:00:00' }, NOW],
  ['no times as unknown', {}, null],
  ['nonexistent day as unknown', { localTime: '2026:02:30 10:00:00', utcOffset: '+00:00' }, null],
  ['nonexistent hour as unknown', { localTime: '2026:02:20 25:00:00', utcOffset: '+00:00' }, null],
  ['time of an unset clock as unknown', { localTime: '0000:00:00 00:00:00' }, null],
  ['time before the first digital cameras as unknown', { localTime: '1980:01:01 00:00:00', utcOffset: '+00:00' }, null],
  ['future time as unknown', { localTime: '2026:11:22 12:00:00', utcOffset: '+00:00' }, null],
  ['local time of next year as unknown', { localTime: '2027:11:22 12:00:00' }, null],
  [
    'non-numeric values as unknown',
    { localTime: 'yesterday', utcOffset: 'here', gpsDate: 'today', gpsTime: [1] },
    null,
  ],
])('captureTimeOf interprets EXIF with %s', (_, times, expected) => {
  expect(captureTimeOf(times, NOW)).toBe(expected);
});

test('plausibleCaptureTime returns now for a time up to ten minutes in the future and null for later times', () => {
  expect(plausibleCaptureTime(NOW + 60_000, NOW)).toBe(NOW);
  expect(plausibleCaptureTime(NOW + HOUR_MS, NOW)).toBeNull();
});
