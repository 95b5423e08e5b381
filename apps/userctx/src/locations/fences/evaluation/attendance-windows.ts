import { Temporal } from 'temporal-polyfill';
import { minutesOfDay, startsOn, type SchoolRange } from '@family-watch/domain/watches/contracts/school-time';
import { isSchoolTime } from '@family-watch/domain/watches/schedule/is-school-time';
import type { AttendanceWindow } from '@family-watch/domain/locations/contracts/fence';

/**
 * Number of days to search: 102 weeks. A window with a single weekday can have 100 skip dates, all on that weekday, so
 * it may start again only after more than 100 weeks.
 */
const MAX_SEARCH_DAYS = 7 * 102;

/**
 * Converts an attendance window to a school range. Attendance windows follow the same rules as school times for
 * midnight, excluded dates and clock changes.
 */
export function toSchoolRange({ weekdays, from, to, skipDates }: AttendanceWindow): SchoolRange {
  return { schoolTimeId: '', start: from, end: to, weekdays, holidays: skipDates, extraDates: [], enabled: true };
}

/** Returns true if `time` (Unix milliseconds) is within a window that reports LEFT_EARLY. */
export function isLeavingEarly(windows: readonly AttendanceWindow[], timeZone: string, time: number): boolean {
  const ranges = windows.filter(({ leftEarly }) => leftEarly).map(toSchoolRange);
  return isSchoolTime(ranges, { pausedOn: null }, timeZone, time);
}

/**
 * Returns the first deadline (`notArrivedBy`) of the windows that is later than `after`, or `null` if there is none.
 * Times are in Unix milliseconds.
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
  // The search starts two days before `after`: the deadline may be on the day after the start of the window, and a
  // clock change that skips the end of a day moves a deadline to the next day.
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

/** Returns the instant of a local time. Of a repeated time, the later instant; for a skipped time, a later instant. */
function instantOf(day: Temporal.PlainDate, time: string, timeZone: string): number {
  return day.toPlainDateTime(time).toZonedDateTime(timeZone, { disambiguation: 'later' }).epochMilliseconds;
}
