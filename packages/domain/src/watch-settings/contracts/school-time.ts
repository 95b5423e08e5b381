/** School times that one child can have. */
export const MAX_SCHOOL_TIMES_PER_CHILD = 20;

/**
 * A range of the day, in the child's time zone, on the days it starts on. One that ends at or before its start
 * crosses midnight, and all of it belongs to the day it starts on.
 */
export interface SchoolRange {
  schoolTimeId: string;
  /** `HH:MM`. */
  start: string;
  /** `HH:MM`, the first minute that is free again; never the same as `start`. */
  end: string;
  /** 1 Monday to 7 Sunday; empty for a range of single dates. */
  weekdays: number[];
  /** `YYYY-MM-DD` on which it does not start although the weekday fits. */
  holidays: string[];
  /** `YYYY-MM-DD` on which it starts although the weekday does not fit. */
  extraDates: string[];
  enabled: boolean;
}

export interface SchoolTime extends SchoolRange {
  label: string;
  /** `refId` of contacts that may call during this range, beside those with `schoolAllowed`. An SOS always may. */
  allowContacts: string[];
}

/** What suspends all ranges. */
export interface SchoolPause {
  /** `YYYY-MM-DD`: from midnight to midnight of this day there is no school time. */
  pausedOn: string | null;
}

/** The day with this number has its weekday here; day 0 is 1970-01-01, a Thursday. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** Number of a `YYYY-MM-DD`, counted from 1970-01-01. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000;
}

/** `YYYY-MM-DD` of a day's number. */
export function dateOfDayNumber(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/** Does the range start on this day (`YYYY-MM-DD`)? A one-off date wins over a holiday. */
export function startsOn({ weekdays, holidays, extraDates }: SchoolRange, date: string): boolean {
  if (extraDates.includes(date)) return true;
  return weekdays.includes(weekdayOf(dayNumber(date))) && !holidays.includes(date);
}

/** Minutes since midnight of a `HH:MM`. */
export function minutesOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}
