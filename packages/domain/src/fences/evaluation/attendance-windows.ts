import { Temporal } from 'temporal-polyfill';
import { minutesOfDay, startsOn } from '../../watch-settings/contracts/school-time.js';
import type { SchoolRange } from '../../watch-settings/contracts/school-time.js';
import { isSchoolTime } from '../../watch-settings/schedule/is-school-time.js';
import type { AttendanceWindow } from '../contracts/fence.js';

/**
 * Number of days to search: even if all skipped dates are on the only weekday of a window, the window starts again
 * within this time.
 */
const MAX_SEARCH_DAYS = 7 * 102;

/** Converts an attendance window to a range with the same rules for midnight, single dates and clock changes. */
export function toSchoolRange({ weekdays, from, to, skipDates }: AttendanceWindow): SchoolRange {
  return { schoolTimeId: '', start: from, end: to, weekdays, holidays: skipDates, extraDates: [], enabled: true };
}

/** Returns true if `time` (Unix milliseconds) is within a window that reports LEFT_EARLY. */
export function isLeavingEarly(windows: readonly AttendanceWindow[], timeZone: string, time: number): boolean {
  const ranges = windows.filter(({ leftEarly }) => leftEarly).map(toSchoolRange);
  return isSchoolTime(ranges, { pausedOn: null }, timeZone, time);
}

/**
 * Returns the next deadline for an arrival after `after`, or `null` if there is no deadline. Times are in Unix
 * milliseconds.
 */
export function nextArrivalTime(windows: readonly AttendanceWindow[], timeZone: string, after: number): number | null {
  return windows.reduce<number | null>((next, window) => {
    const time = nextArrivalTimeOf(window, timeZone, after);
    return time === null || (next !== null && next <= time) ? next : time;
  }, null);
}

function nextArrivalTimeOf(window: AttendanceWindow, timeZone: string, after: number): number | null {
  if (window.notArrivedBy === null) return null;
  const range = toSchoolRange(window);
  const isNextDay = minutesOfDay(window.notArrivedBy) < minutesOfDay(window.from);
  // The search starts with yesterday, because a window that started yesterday may have its deadline today, even if the
  // clock was set back.
  let day = Temporal.Instant.fromEpochMilliseconds(after)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .subtract({ days: 2 });
  const end = day.add({ days: MAX_SEARCH_DAYS });
  for (
    ;
    Temporal.PlainDate.compare(day, end) < 0;
    day = day.add({ days: daysUntilNextWeekday(range.weekdays, day.dayOfWeek) })
  ) {
    if (!startsOn(range, day.toString())) continue;
    const time = instantOf(isNextDay ? day.add({ days: 1 }) : day, window.notArrivedBy, timeZone);
    if (time > after) return time;
  }
  return null;
}

/**
 * Returns the number of days, 1 to 7, from `weekday` to the next of `weekdays`. The function avoids calendar
 * operations, which are slow.
 */
function daysUntilNextWeekday(weekdays: readonly number[], weekday: number): number {
  return Math.min(7, ...weekdays.map((next) => ((next - weekday + 6) % 7) + 1));
}

/** Uses the later instant of an ambiguous time and shifts a skipped time forward: the child gets the later deadline. */
function instantOf(day: Temporal.PlainDate, time: string, timeZone: string): number {
  return day.toPlainDateTime(time).toZonedDateTime(timeZone, { disambiguation: 'later' }).epochMilliseconds;
}
