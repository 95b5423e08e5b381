import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  canOverlap,
  dateOfDayNumber,
  dayNumber,
  minutesOfDay,
  startsOn,
  weekdayOf,
  type SchoolRange,
} from './school-time.js';

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

/** Returns the half-hour slots of four weeks in which the range is active. Slot 0 starts on MONDAY at 00:00. */
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

describe('canOverlap', () => {
  test('returns true exactly if the two ranges have a half-hour slot in common', () => {
    fc.assert(
      fc.property(ranges, ranges, (one, other) => {
        const [slots, otherSlots] = [slotsOf(one), slotsOf(other)];
        const overlaps = [...slots].some((slot) => otherSlots.has(slot));
        expect(canOverlap(one, other)).toBe(overlaps);
        expect(canOverlap(other, one)).toBe(overlaps);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test.each([
    ['an adjacent range', range({ start: '12:00', end: '14:00' }), false],
    ['a range on another weekday', range({ weekdays: [2] }), false],
    ['a range from Sunday night to Monday', range({ weekdays: [7], start: '22:00', end: '08:30' }), true],
    ['an extra date on a Monday', range({ weekdays: [], extraDates: ['2026-03-02'] }), true],
    ['an extra date on another weekday', range({ weekdays: [], extraDates: ['2026-03-03'] }), false],
  ])('for a range on Monday morning and %s, returns %s', (_, other, expected) => {
    expect(canOverlap(range({}), other)).toBe(expected);
  });

  test('returns false if an extra date replaces a weekly range on its holiday, but true on another date', () => {
    const replaced = range({ holidays: ['2026-03-02'] });
    const replacement = range({ weekdays: [], extraDates: ['2026-03-02'], start: '09:00' });
    expect(canOverlap(replaced, replacement)).toBe(false);
    expect(canOverlap(replaced, { ...replacement, extraDates: ['2026-03-09'] })).toBe(true);
  });
});

test('weekdayOf returns the weekday of the calendar', () => {
  expect(['1970-01-01', '2026-03-02', '2026-03-01', '1969-12-31'].map((date) => weekdayOf(dayNumber(date)))).toEqual([
    4, 1, 7, 3,
  ]);
});
