/** Maximum number of school times per child. */
export const MAX_SCHOOL_TIMES_PER_CHILD = 20;

/**
 * A time range in the child's time zone that recurs on the given days. A range whose end is not after its start ends on
 * the next day; it belongs entirely to the day on which it starts.
 */
export interface SchoolRange {
  schoolTimeId: string;
  /** `HH:MM`. */
  start: string;
  /** End of the range as `HH:MM`, exclusive; never equal to `start`. */
  end: string;
  /** Weekdays, 1 Monday to 7 Sunday; empty for a range with extra dates only. */
  weekdays: number[];
  /** Dates (`YYYY-MM-DD`) on which the range does not start although the weekday matches. */
  holidays: string[];
  /** Dates (`YYYY-MM-DD`) on which the range starts although the weekday does not match. */
  extraDates: string[];
  enabled: boolean;
}

/** Suspends all school times of a child. */
export interface SchoolPause {
  /** Date (`YYYY-MM-DD`) without school time, from midnight to midnight. */
  pausedOn: string | null;
}

/** Returns the weekday of a day number, 1 Monday to 7 Sunday. Day 0 is 1970-01-01, a Thursday. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** Returns the day number of a `YYYY-MM-DD`, counted from 1970-01-01. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000;
}

/** Returns the `YYYY-MM-DD` of a day number. */
export function dateOfDayNumber(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/** Returns true if the range starts on this date (`YYYY-MM-DD`). An extra date takes precedence over a holiday. */
export function startsOn({ weekdays, holidays, extraDates }: SchoolRange, date: string): boolean {
  if (extraDates.includes(date)) return true;
  return weekdays.includes(weekdayOf(dayNumber(date))) && !holidays.includes(date);
}

/** Returns the minutes since midnight of a `HH:MM`. */
export function minutesOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

const MINUTES_PER_DAY = 1_440;

/**
 * Returns true if the two ranges overlap on any date. Adjacent ranges do not overlap. Holidays do not separate two
 * weekly ranges, because holidays are temporary. An extra date may replace a weekly range on a holiday of that range.
 */
export function canOverlap(one: SchoolRange, other: SchoolRange): boolean {
  return overlapsFromStartOf(one, other) || overlapsFromStartOf(other, one);
}

/** Returns true if an occurrence of `one` overlaps an occurrence of `other` that starts at most one day apart. */
function overlapsFromStartOf(one: SchoolRange, other: SchoolRange): boolean {
  const weeklyDays = one.weekdays.map((weekday) => REFERENCE_MONDAY + weekday - 1);
  return (
    weeklyDays.some((day) => DAY_OFFSETS.some((offset) => overlapsWeekly(one, other, day, offset))) ||
    one.extraDates.some((date) => DAY_OFFSETS.some((offset) => overlapsOnDate(one, other, dayNumber(date), offset)))
  );
}

/** Day number of an arbitrary Monday: the weekly occurrences are the same in every week. */
const REFERENCE_MONDAY = dayNumber('2024-01-01');

/**
 * Possible numbers of days between the starts of two occurrences that overlap. More days are impossible, because an
 * occurrence lasts at most 24 hours.
 */
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

/** Returns start and end of an occurrence in minutes since midnight of the day on which it starts. */
function minutesFromStart({ start, end }: SchoolRange): [number, number] {
  const [from, to] = [minutesOfDay(start), minutesOfDay(end)];
  return [from, to > from ? to : to + MINUTES_PER_DAY];
}
