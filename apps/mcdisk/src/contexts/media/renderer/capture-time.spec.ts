import { expect, test } from '@jest/globals';
import { plausibleCaptureTime, captureTimeOf } from './capture-time.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;

test.each([
  ['local time and offset', { local: '2026:05:17 14:30:05', offset: '+08:00' }, Date.UTC(2026, 4, 17, 6, 30, 5)],
  ['west of Greenwich', { local: '2026:05:17 14:30:05', offset: '-03:30' }, Date.UTC(2026, 4, 17, 18, 0, 5)],
  [
    'GPS time, preferred to local time without offset',
    { local: '2026:05:17 14:30:05', gpsDate: '2026:05:17', gpsTime: [6, 30, 7.5] },
    Date.UTC(2026, 4, 17, 6, 30, 7),
  ],
  ['local time only: read as UTC', { local: '2026:05:17 14:30:05' }, Date.UTC(2026, 4, 17, 14, 30, 5)],
  ['impossible offset', { local: '2026:05:17 14:30:05', offset: '+25:00' }, Date.UTC(2026, 4, 17, 14, 30, 5)],
  ['local time east of Greenwich, capped at now', { local: '2026:11:21 20:00:00' }, NOW],
  ['no times', {}, null],
  ['nonexistent day', { local: '2026:02:30 10:00:00', offset: '+00:00' }, null],
  ['nonexistent hour', { local: '2026:02:20 25:00:00', offset: '+00:00' }, null],
  ['unset clock', { local: '0000:00:00 00:00:00' }, null],
  ['before the first digital cameras', { local: '1980:01:01 00:00:00', offset: '+00:00' }, null],
  ['future time', { local: '2026:11:22 12:00:00', offset: '+00:00' }, null],
  ['local time of next year', { local: '2027:11:22 12:00:00' }, null],
  ['non-numeric values', { local: 'yesterday', offset: 'here', gpsDate: 'today', gpsTime: [1] }, null],
])('captureTimeOf: %s', (_, times, expected) => {
  expect(captureTimeOf(times, NOW)).toBe(expected);
});

test('limits a time up to ten minutes ahead to now and rejects later times', () => {
  expect(plausibleCaptureTime(NOW + 60_000, NOW)).toBe(NOW);
  expect(plausibleCaptureTime(NOW + HOUR, NOW)).toBeNull();
});
