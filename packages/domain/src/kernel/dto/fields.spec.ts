import { describe, expect, it } from '@jest/globals';
import { isTimeZone } from './fields.js';

describe('isTimeZone', () => {
  it.each(['Asia/Shanghai', 'Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+8'])(
    'accepts the time zone %s',
    (zone) => {
      expect(isTimeZone(zone)).toBe(true);
    },
  );

  it.each(['', '+08:00', 'Asia/Nowhere', 'Asia/Shanghai ', '../etc', 8, null])('rejects %p as a time zone', (zone) => {
    expect(isTimeZone(zone)).toBe(false);
  });
});
