import { describe, expect, test } from '@jest/globals';
import { addDays, boundsOfDay, dayOf } from './day.js';

const HOUR_MS = 3_600_000;

describe('dayOf', () => {
  test('returns the date in the time zone', () => {
    const time = Date.parse('2026-11-26T17:00:00Z');
    expect(dayOf(time, 'Asia/Shanghai')).toBe('2026-11-27');
    expect(dayOf(time, 'America/New_York')).toBe('2026-11-26');
  });
});

describe('addDays', () => {
  test('crosses the end of a year', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
  });
});

describe('boundsOfDay', () => {
  test('returns midnights of the time zone', () => {
    expect(boundsOfDay('2026-11-27', 'Asia/Shanghai')).toEqual({
      from: Date.parse('2026-11-26T16:00:00Z'),
      to: Date.parse('2026-11-27T16:00:00Z'),
    });
  });

  test('returns 23 and 25 hours on the days when the clocks change', () => {
    const spring = boundsOfDay('2026-03-29', 'Europe/Berlin');
    const autumn = boundsOfDay('2026-10-25', 'Europe/Berlin');
    expect(spring.to - spring.from).toBe(23 * HOUR_MS);
    expect(autumn.to - autumn.from).toBe(25 * HOUR_MS);
  });
});
