import { LocalDay } from '@family-watch/domain/watch-settings/schedule/local-day';

/** What the watch's step counter showed at a moment (Unix milliseconds). */
export interface CounterReading {
  total: number;
  time: number;
}

/** Steps on a day (`YYYY-MM-DD`). */
export interface DaySteps {
  day: string;
  steps: number;
}

/** A counter that said nothing for longer was switched off until then. Milliseconds. */
const LONGEST_WALK = 24 * 60 * 60_000;

/**
 * Steps made between two readings of one counter. A counter that shows less than before was reset and started at
 * zero. Without a reading before it, or with one from before the watch was bound to this child, a reading says
 * nothing of this child's steps: it is only where counting starts. One that is not newer is known, or came late: the
 * steps up to it are in the newer one already.
 */
export function stepsBetween(previous: CounterReading | null, current: CounterReading, boundAt: number): number {
  if (!previous || previous.time < boundAt || current.time <= previous.time) return 0;
  return current.total >= previous.total ? current.total - previous.total : current.total;
}

/**
 * Steps between two moments (Unix milliseconds), by the days of a time zone. The counter does not say when they were
 * made, so those that span midnight are spread evenly, over the last 24 hours at most; none is lost or counted twice.
 */
export function stepsByDay(steps: number, from: number, to: number, timeZone: string): DaySteps[] {
  const start = Math.max(from, to - LONGEST_WALK);
  const until = (time: number) => Math.floor(steps * ((time - start) / (to - start)));
  const days: DaySteps[] = [];
  for (let begin = start; begin < to;) {
    const { today, end } = LocalDay.at(timeZone, begin);
    const share = until(Math.min(end, to)) - until(begin);
    if (share > 0) days.push({ day: today, steps: share });
    begin = end;
  }
  return days;
}
