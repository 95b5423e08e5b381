import { dateOfDayNumber, dayNumber, minutesOfDay, startsOn, weekdayOf } from './school-time.js';
import type { SchoolRange } from './school-time.js';

const MINUTES_PER_DAY = 1_440;

/**
 * Returns the first date (`YYYY-MM-DD`) on which an occurrence of one range starts and overlaps the other range;
 * undefined if the ranges never overlap. Adjacent ranges do not overlap. Holidays of weekly ranges are temporary and
 * therefore ignored: two ranges overlap even if a holiday separates them.
 */
export function findOverlapDate(one: SchoolRange, other: SchoolRange): string | undefined {
  return findOverlappingStart(one, other) ?? findOverlappingStart(other, one);
}

/** Returns a date on which `one` starts and overlaps an occurrence of `other`. */
function findOverlappingStart(one: SchoolRange, other: SchoolRange): string | undefined {
  const weekly = one.weekdays.map((weekday) => REFERENCE_MONDAY + weekday - 1);
  const found = weekly.find((day) => DAY_OFFSETS.some((offset) => overlapsWeekly(one, other, day, offset)));
  if (found !== undefined) return dateOfDayNumber(found);
  return one.extraDates.find((date) =>
    DAY_OFFSETS.some((offset) => overlapsOnDate(one, other, dayNumber(date), offset)),
  );
}

/** An arbitrary Monday; weekdays have the same rules in every week. */
const REFERENCE_MONDAY = dayNumber('2024-01-01');

/** Days between the starts of two occurrences that can overlap, because an occurrence lasts less than two days. */
const DAY_OFFSETS: readonly number[] = [-1, 0, 1];
function overlapsWeekly(one: SchoolRange, other: SchoolRange, day: number, offset: number): boolean {
  return other.weekdays.includes(weekdayOf(day + offset)) && overlapsWithOffset(one, other, offset);
}

function overlapsOnDate(one: SchoolRange, other: SchoolRange, day: number, offset: number): boolean {
  return startsOn(other, dateOfDayNumber(day + offset)) && overlapsWithOffset(one, other, offset);
}

/** Returns true if the two ranges overlap when `other` starts `offset` days after `one`. */
function overlapsWithOffset(one: SchoolRange, other: SchoolRange, offset: number): boolean {
  const [from, to] = minutesFromStart(one);
  const [otherFrom, otherTo] = minutesFromStart(other);
  return from < otherTo + offset * MINUTES_PER_DAY && otherFrom + offset * MINUTES_PER_DAY < to;
}

/** Returns start and end of the range in minutes since the midnight before the start. */
function minutesFromStart({ start, end }: SchoolRange): [number, number] {
  const [from, to] = [minutesOfDay(start), minutesOfDay(end)];
  return [from, to > from ? to : to + MINUTES_PER_DAY];
}
