import { describe, expect, test } from '@jest/globals';
import { findSchoolTime } from './school-time.js';

const LESSONS = {
  schoolTimeId: 'lessons',
  label: '',
  start: '08:00',
  end: '12:00',
  weekdays: [1, 2, 3, 4, 5],
  holidays: ['2026-10-01'],
  extraDates: ['2026-10-03'],
  allowContacts: [],
  enabled: true,
};
const NIGHT = { ...LESSONS, schoolTimeId: 'night', start: '22:00', end: '06:00', weekdays: [5] };
const TIME_ZONE = 'Asia/Shanghai';

/** @param time - in China, where clocks do not change */
function find(time: string, { items = [LESSONS], pausedOn = null as string | null } = {}) {
  return findSchoolTime({ items, pausedOn }, TIME_ZONE, Date.parse(`${time}+08:00`))?.schoolTimeId;
}

describe('findSchoolTime', () => {
  test('returns a school time from its start to its end, exclusive, on its weekdays', () => {
    expect(find('2026-09-30T07:59')).toBeUndefined();
    expect(find('2026-09-30T08:00')).toBe('lessons');
    expect(find('2026-09-30T11:59')).toBe('lessons');
    expect(find('2026-09-30T12:00')).toBeUndefined();
    expect(find('2026-10-04T09:00')).toBeUndefined();
  });

  test('does not return a school time on a holiday, but on an additional date', () => {
    expect(find('2026-10-01T09:00')).toBeUndefined();
    expect(find('2026-10-03T09:00')).toBe('lessons');
  });

  test('returns a school time that crosses midnight until its end on the next day', () => {
    expect(find('2026-10-02T23:00', { items: [NIGHT] })).toBe('night');
    expect(find('2026-10-03T05:59', { items: [NIGHT] })).toBe('night');
    expect(find('2026-10-03T06:00', { items: [NIGHT] })).toBeUndefined();
  });

  test('does not return a disabled school time, or one on the day of the pause', () => {
    expect(find('2026-09-30T09:00', { items: [{ ...LESSONS, enabled: false }] })).toBeUndefined();
    expect(find('2026-09-30T09:00', { pausedOn: '2026-09-30' })).toBeUndefined();
    expect(find('2026-09-30T09:00', { pausedOn: '2026-09-29' })).toBe('lessons');
  });
});
