import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findOverlapDate, dateOfDayNumber, dayNumber, minutesOfDay, startsOn, weekdayOf } from './school-time.js';
import type { SchoolRange } from './school-time.js';

const MONDAY = dayNumber('2026-03-02');
const SLOT_MINUTES = 30;

const timeOf = (slot: number): string =>
  `${String(Math.floor(slot / 2)).padStart(2, '0')}:${slot % 2 === 0 ? '00' : '30'}`;

const dates = fc.uniqueArray(
  fc.integer({ min: 7, max: 20 }).map((day) => dateOfDayNumber(MONDAY + day)),
  { maxLength: 3 },
);

const ranges = fc
  .record({
    start: fc.integer({ min: 0, max: 47 }),
    length: fc.integer({ min: 1, max: 47 }),
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 3 }),
    extraDates: dates,
  })
  .map(({ start, length, weekdays, extraDates }): SchoolRange => ({
    schoolTimeId: '',
    enabled: true,
    holidays: [],
    weekdays,
    extraDates,
    start: timeOf(start),
    end: timeOf((start + length) % 48),
  }));

/** Enumerates the half-hour slots of four weeks in which the range is active. */
function slotsOf(range: SchoolRange): Set<number> {
  const slots = new Set<number>();
  for (let day = -1; day < 28; day += 1) {
    if (!startsOn(range, dateOfDayNumber(MONDAY + day))) continue;
    const last = minutesOfDay(range.end) / SLOT_MINUTES;
    for (
      let slot = minutesOfDay(range.start) / SLOT_MINUTES, steps = 0;
      steps === 0 || slot % 48 !== last;
      slot += 1, steps += 1
    )
      slots.add(day * 48 + slot);
  }
  return slots;
}

const range = (change: Partial<SchoolRange>): SchoolRange => ({
  schoolTimeId: '',
  enabled: true,
  holidays: [],
  weekdays: [1],
  extraDates: [],
  start: '08:00',
  end: '12:00',
  ...change,
});

describe('findOverlapDate', () => {
  test('returns a date exactly if the two ranges have a half-hour slot in common', () => {
    fc.assert(
      fc.property(ranges, ranges, (one, other) => {
        const [mine, theirs] = [slotsOf(one), slotsOf(other)];
        const overlaps = [...mine].some((slot) => theirs.has(slot));
        expect(findOverlapDate(one, other) !== undefined).toBe(overlaps);
        expect(findOverlapDate(other, one) !== undefined).toBe(overlaps);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test.each([
    ['adjacent ranges', range({ start: '12:00', end: '14:00' }), undefined],
    ['another weekday', range({ weekdays: [2] }), undefined],
    ['Sunday night to Monday', range({ weekdays: [7], start: '22:00', end: '08:30' }), '2023-12-31'],
    ['an extra date', range({ weekdays: [], extraDates: ['2026-03-02'] }), '2026-03-02'],
    ['an extra date on another weekday', range({ weekdays: [], extraDates: ['2026-03-03'] }), undefined],
  ])('returns a date only if the ranges overlap, for %s', (_, other, expected) => {
    const found = findOverlapDate(range({}), other);
    expect(found === undefined).toBe(expected === undefined);
  });

  test('allows an extra date to replace a weekly range on a holiday', () => {
    const replaced = range({ holidays: ['2026-03-02'] });
    const replacement = range({ weekdays: [], extraDates: ['2026-03-02'], start: '09:00' });
    expect(findOverlapDate(replaced, replacement)).toBeUndefined();
    expect(findOverlapDate(replaced, { ...replacement, extraDates: ['2026-03-09'] })).toBe('2026-03-09');
  });
});

test('weekdayOf returns the weekday of the calendar', () => {
  expect(['1970-01-01', '2026-03-02', '2026-03-01', '1969-12-31'].map((date) => weekdayOf(dayNumber(date)))).toEqual([
    4, 1, 7, 3,
  ]);
});
