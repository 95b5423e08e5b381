import { minutesOfDay, startsOn } from '../contracts/school-time.js';
import type { SchoolPause, SchoolRange } from '../contracts/school-time.js';
import { LocalDay } from './local-day.js';

/** What holds at a moment, and for how long that is sure. */
export interface SchoolHours<Range extends SchoolRange> {
  /** Undefined while there is no school time. */
  range: Range | undefined;
  /** Nothing changes before this moment (Unix milliseconds): the end of the range, or at latest the next midnight. */
  until: number;
}

/** One time that a range lasts, from its first moment to the first one after it. */
interface Occurrence<Range extends SchoolRange> {
  range: Range;
  start: number;
  end: number;
}

/**
 * The range that holds at this moment (Unix milliseconds): ranges do not overlap. It lasts from the first moment that
 * the child's clock shows its start to the last moment before it shows its end, so an hour that comes twice is wholly
 * inside or outside; of an hour that is left out nothing is made up for.
 */
export function schoolHoursAt<Range extends SchoolRange>(
  ranges: readonly Range[],
  { pausedOn }: SchoolPause,
  timeZone: string,
  time: number,
): SchoolHours<Range> {
  const day = LocalDay.at(timeZone, time);
  if (day.today === pausedOn) return { range: undefined, until: day.end };
  const occurrences = ranges
    .filter(({ enabled }) => enabled)
    .flatMap((range) => [
      ...occurrenceOn(range, day, day.today, day.tomorrow),
      ...occurrenceOn(range, day, day.yesterday, day.today),
    ]);
  const current = occurrences.find(({ start, end }) => start <= time && time < end);
  if (current) {
    const pause = day.tomorrow === pausedOn ? day.end : Infinity;
    return { range: current.range, until: Math.min(current.end, pause) };
  }
  const starts = occurrences.map(({ start }) => start).filter((start) => start > time);
  return { range: undefined, until: Math.min(day.end, ...starts) };
}

/** What starts on this date; nothing where all of it falls into an hour that is left out. */
function occurrenceOn<Range extends SchoolRange>(
  range: Range,
  day: LocalDay,
  date: string,
  nextDate: string,
): Occurrence<Range>[] {
  if (!startsOn(range, date)) return [];
  const crossesMidnight = minutesOfDay(range.end) <= minutesOfDay(range.start);
  const start = day.instantOf(date, range.start, 'earlier');
  const end = day.instantOf(crossesMidnight ? nextDate : date, range.end, 'later');
  return start < end ? [{ range, start, end }] : [];
}
