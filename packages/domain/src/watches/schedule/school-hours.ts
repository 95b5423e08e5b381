import { minutesOfDay, startsOn, type SchoolPause, type SchoolRange } from '../contracts/school-time.js';
import { LocalDay } from './local-day.js';

/** The active school time and how long this result is valid. */
export interface SchoolHours<Range extends SchoolRange> {
  /** Undefined while there is no school time. */
  range: Range | undefined;
  /**
   * Unix milliseconds until which the result is valid. With an active range: the end of the range. Without one: the
   * start of the next range, or the next midnight if that is earlier.
   */
  until: number;
}

/** One occurrence of a range. `start` (inclusive) and `end` (exclusive): Unix milliseconds. */
interface Occurrence<Range extends SchoolRange> {
  range: Range;
  start: number;
  end: number;
}

/**
 * Returns the range that is active at `time` (Unix milliseconds). The ranges must not overlap. If a clock change
 * repeats local times, an occurrence starts at the first instant with its start time and ends at the last instant with
 * its end time. If a clock change skips its start or end time, the occurrence starts or ends at the clock change.
 */
export function schoolHoursAt<Range extends SchoolRange>(
  ranges: readonly Range[],
  { pausedOn }: SchoolPause,
  timeZone: string,
  time: number,
): SchoolHours<Range> {
  const day = LocalDay.at(timeZone, time);
  if (day.date === pausedOn) return { range: undefined, until: day.end };
  const occurrences = ranges
    .filter(({ enabled }) => enabled)
    .flatMap((range) => [
      ...occurrenceOn(range, day, day.date, day.nextDate),
      ...occurrenceOn(range, day, day.previousDate, day.date),
    ]);
  // In a repeated hour an occurrence may start before the previous occurrence has ended; the previous occurrence
  // remains active until its end.
  const [current] = occurrences
    .filter(({ start, end }) => start <= time && time < end)
    .toSorted((one, other) => one.start - other.start);
  if (current) {
    if (current.end >= day.end)
      occurrences.push(...occurrenceOn(current.range, day.next, day.nextDate, day.next.nextDate));
    const next = occurrences.find(
      ({ range, start, end }) => range === current.range && start <= current.end && current.end < end,
    );
    const { end } = next ?? current;
    if (day.nextDate === pausedOn) return { range: current.range, until: Math.min(end, day.end) };
    const isPausedAfterNextDay = end > day.end && day.next.nextDate === pausedOn;
    return { range: current.range, until: isPausedAfterNextDay ? Math.min(end, day.next.end) : end };
  }
  const starts = occurrences.map(({ start }) => start).filter((start) => start > time);
  return { range: undefined, until: Math.min(day.end, ...starts) };
}

/**
 * Returns the occurrence that starts on this date; an empty list if no occurrence starts or if a skipped hour contains
 * the whole occurrence.
 */
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
