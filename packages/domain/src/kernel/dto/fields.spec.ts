import { describe, expect, it } from '@jest/globals';
import { isTimeZone } from './fields.js';

describe('isTimeZone', () => {
  it.each(['Asia/Shanghai', 'Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+8'])(
    'returns true for the time zone %s',
    (zone) => {
      expect(isTimeZone(zone)).toBe(true);
    },
  );

  it.each(['', '+08:00', 'Asia/Nowhere', 'Asia/Shanghai ', '../etc', 8, null])('returns false for %p', (zone) => {
    expect(isTimeZone(zone)).toBe(false);
  });
});
