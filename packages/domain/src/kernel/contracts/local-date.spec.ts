import { describe, expect, jest, test } from '@jest/globals';
import { localDateIn } from './local-date.js';

describe('localDateIn', () => {
  test.each([
    ['Asia/Shanghai', '2026-01-31T15:59:59Z', '2026-01-31'],
    ['Asia/Shanghai', '2026-01-31T16:00:00Z', '2026-02-01'],
    ['America/Los_Angeles', '2026-03-08T07:59:59Z', '2026-03-07'],
    ['UTC', '2026-12-31T23:59:59Z', '2026-12-31'],
  ])('in the time zone %s at %s, returns the local date %s', (timeZone, time, day) => {
    expect(localDateIn(timeZone, Date.parse(time))).toBe(day);
  });

  test('keeps one formatter for all spellings of a time zone', () => {
    const create = jest.spyOn(Intl, 'DateTimeFormat');
    for (const timeZone of ['Asia/Tokyo', 'asia/tokyo', 'ASIA/Tokyo']) localDateIn(timeZone, 0);
    expect(create).toHaveBeenCalledTimes(1);
    create.mockRestore();
  });
});
