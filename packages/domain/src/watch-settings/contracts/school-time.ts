/** Maximum number of school times per child. */
export const MAX_SCHOOL_TIMES_PER_CHILD = 20;

/**
 * A daily time range in the child's time zone, on the days on which it starts. A range whose end is not after its start
 * crosses midnight and belongs entirely to the day on which it starts.
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

export interface SchoolTime extends SchoolRange {
  label: string;
  /**
   * `refId` of contacts that may call during this range, in addition to those with `schoolAllowed`. An SOS is always
   * allowed.
   */
  allowContacts: string[];
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
