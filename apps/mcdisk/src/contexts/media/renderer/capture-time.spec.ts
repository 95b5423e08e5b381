import { expect, test } from '@jest/globals';
import { plausibleCaptureTime, captureTimeOf } from './capture-time.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;

test.each([
  ['wall and offset', { wall: '2026:05:17 14:30:05', offset: '+08:00' }, Date.UTC(2026, 4, 17, 6, 30, 5)],
  ['west of Greenwich', { wall: '2026:05:17 14:30:05', offset: '-03:30' }, Date.UTC(2026, 4, 17, 18, 0, 5)],
  [
    'satellites, before a wall without offset',
    { wall: '2026:05:17 14:30:05', gpsDate: '2026:05:17', gpsTime: [6, 30, 7.5] },
    Date.UTC(2026, 4, 17, 6, 30, 7),
  ],
  ['only a wall: read as UTC', { wall: '2026:05:17 14:30:05' }, Date.UTC(2026, 4, 17, 14, 30, 5)],
  ['an offset that no place has', { wall: '2026:05:17 14:30:05', offset: '+25:00' }, Date.UTC(2026, 4, 17, 14, 30, 5)],
  ['a wall east of here, just now', { wall: '2026:11:21 20:00:00' }, NOW],
  ['nothing', {}, null],
  ['a day that no calendar has', { wall: '2026:02:30 10:00:00', offset: '+00:00' }, null],
  ['an hour that no day has', { wall: '2026:02:20 25:00:00', offset: '+00:00' }, null],
  ['no clock was ever set', { wall: '0000:00:00 00:00:00' }, null],
  ['before there were such cameras', { wall: '1980:01:01 00:00:00', offset: '+00:00' }, null],
  ['tomorrow', { wall: '2026:11:22 12:00:00', offset: '+00:00' }, null],
  ['a wall of next year', { wall: '2027:11:22 12:00:00' }, null],
  ['words', { wall: 'yesterday', offset: 'here', gpsDate: 'today', gpsTime: [1] }, null],
])('%s', (_, times, expected) => {
  expect(captureTimeOf(times, NOW)).toBe(expected);
});

test('a clock that is a little ahead took its picture now', () => {
  expect(plausibleCaptureTime(NOW + 60_000, NOW)).toBe(NOW);
  expect(plausibleCaptureTime(NOW + HOUR, NOW)).toBeNull();
});
