import { Temporal } from 'temporal-polyfill';
import { minutesOf, startsOn } from '../contracts/school-time.js';
import type { SchoolExceptions, SchoolRange } from '../contracts/school-time.js';

/** Is it school time for the child at this moment (Unix milliseconds)? */
export function isSchoolTime(
  ranges: readonly SchoolRange[],
  exceptions: SchoolExceptions,
  timeZone: string,
  time: number,
): boolean {
  return schoolRangeAt(ranges, exceptions, timeZone, time) !== undefined;
}

/**
 * The range that holds at this moment (Unix milliseconds): ranges do not overlap. It lasts from the first moment that
 * the child's clock shows its start to the last moment before it shows its end, so an hour that comes twice is wholly
 * inside or outside; of an hour that is left out nothing is made up for.
 */
export function schoolRangeAt<Range extends SchoolRange>(
  ranges: readonly Range[],
  { pausedOn }: SchoolExceptions,
  timeZone: string,
  time: number,
): Range | undefined {
  const now = Temporal.Instant.fromEpochMilliseconds(time);
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  if (today.toString() === pausedOn) return undefined;
  const days = [today, today.subtract({ days: 1 })];
  return ranges.find((range) => range.enabled && days.some((day) => holds(range, day, timeZone, now)));
}

/** Does the occurrence that starts on this day hold now? */
function holds(range: SchoolRange, day: Temporal.PlainDate, timeZone: string, now: Temporal.Instant): boolean {
  if (!startsOn(range, day.toString())) return false;
  const crossesMidnight = minutesOf(range.end) <= minutesOf(range.start);
  const lastDay = crossesMidnight ? day.add({ days: 1 }) : day;
  const start = momentOf(day.toPlainDateTime(range.start), timeZone, 'earlier');
  const end = momentOf(lastDay.toPlainDateTime(range.end), timeZone, 'later');
  return Temporal.Instant.compare(start, now) <= 0 && Temporal.Instant.compare(now, end) < 0;
}

/** When clocks show this; of a time that comes twice the one that is wanted, of one that is left out the jump. */
function momentOf(wall: Temporal.PlainDateTime, timeZone: string, wanted: 'earlier' | 'later'): Temporal.Instant {
  const moment = wall.toZonedDateTime(timeZone, { disambiguation: wanted });
  if (moment.toPlainDateTime().equals(wall)) return moment.toInstant();
  const before = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const jump = before.getTimeZoneTransition('next');
  return (jump ?? moment).toInstant();
}
