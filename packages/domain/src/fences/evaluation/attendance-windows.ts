import { Temporal } from 'temporal-polyfill';
import { minutesOfDay, startsOn } from '../../watch-settings/contracts/school-time.js';
import type { SchoolRange } from '../../watch-settings/contracts/school-time.js';
import { isSchoolTime } from '../../watch-settings/schedule/is-school-time.js';
import type { AttendanceWindow } from '../contracts/fence.js';

/** With all skipped dates on the one weekday of a window, the next one still lies within this many days. */
const HORIZON_DAYS = 7 * 102;

/** A guard window keeps the rules of a school time about midnight, single dates and clocks that change. */
export function toSchoolRange({ weekdays, from, to, skipDates }: AttendanceWindow): SchoolRange {
  return { schoolTimeId: '', start: from, end: to, weekdays, holidays: skipDates, extraDates: [], enabled: true };
}

/** Is it too early to leave at this moment (Unix milliseconds)? */
export function isLeavingEarly(windows: readonly AttendanceWindow[], timeZone: string, time: number): boolean {
  const guarded = windows.filter(({ leftEarly }) => leftEarly).map(toSchoolRange);
  return isSchoolTime(guarded, { pausedOn: null }, timeZone, time);
}

/** The next moment after `after` by which the child must have arrived, `null` for never. Both Unix milliseconds. */
export function nextArrivalTime(windows: readonly AttendanceWindow[], timeZone: string, after: number): number | null {
  return windows.reduce<number | null>((next, window) => {
    const time = nextOf(window, timeZone, after);
    return time === null || (next !== null && next <= time) ? next : time;
  }, null);
}

function nextOf(window: AttendanceWindow, timeZone: string, after: number): number | null {
  if (window.notArrivedBy === null) return null;
  const range = toSchoolRange(window);
  const isNextDay = minutesOfDay(window.notArrivedBy) < minutesOfDay(window.from);
  // What began yesterday may be awaited today, and by a clock that was put back.
  let day = Temporal.Instant.fromEpochMilliseconds(after)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .subtract({ days: 2 });
  const end = day.add({ days: HORIZON_DAYS });
  for (; Temporal.PlainDate.compare(day, end) < 0; day = day.add({ days: daysToNext(range.weekdays, day.dayOfWeek) })) {
    if (!startsOn(range, day.toString())) continue;
    const time = momentOf(isNextDay ? day.add({ days: 1 }) : day, window.notArrivedBy, timeZone);
    if (time > after) return time;
  }
  return null;
}

/** From this weekday to the next of these, 1 to 7: a date costs microseconds, and a child has hundreds of windows. */
function daysToNext(weekdays: readonly number[], weekday: number): number {
  return Math.min(7, ...weekdays.map((next) => ((next - weekday + 6) % 7) + 1));
}

/** Of a time that comes twice the second one, and one that is left out as much later: the doubt is the child's. */
function momentOf(day: Temporal.PlainDate, time: string, timeZone: string): number {
  return day.toPlainDateTime(time).toZonedDateTime(timeZone, { disambiguation: 'later' }).epochMilliseconds;
}
