import { LocalDay } from '@family-watch/domain/watch-settings/schedule/local-day';
import type { DailyStepsEntity } from '@family-watch/domain/watches/entities/watch.entities';

/** Value of a watch's step counter at a time (Unix milliseconds). */
export interface CounterReading {
  total: number;
  time: number;
}

/** Number of steps on a day (`YYYY-MM-DD`). */
export type DaySteps = Omit<DailyStepsEntity, 'cid'>;

/**
 * Maximum period, in milliseconds, over which the steps between two readings are distributed. If the gap between two
 * readings is longer, the watch is assumed to have been off at the start of the gap.
 */
const MAX_DISTRIBUTION_MS = 24 * 60 * 60_000;

/**
 * Returns the steps between two readings of one counter. A counter below its previous value was reset and started at
 * zero. Returns zero if there is no previous reading since the watch was bound to the child, because counting starts
 * with the current reading. Returns zero if the current reading is not newer than the previous reading, because its
 * steps are already included.
 * @param boundAt - when the watch was bound to the child, Unix milliseconds
 */
export function stepsBetween(previous: CounterReading | null, current: CounterReading, boundAt: number): number {
  if (!previous || previous.time < boundAt || current.time <= previous.time) return 0;
  return current.total >= previous.total ? current.total - previous.total : current.total;
}

/**
 * Distributes the steps between two times (Unix milliseconds) over the days of a time zone. The counter does not record
 * when the steps were made, so steps across midnight are distributed evenly, over at most the last 24 hours. No step is
 * lost or counted twice.
 */
export function stepsByDay(steps: number, from: number, to: number, timeZone: string): DaySteps[] {
  const start = Math.max(from, to - MAX_DISTRIBUTION_MS);
  const stepsUntil = (time: number) => Math.floor(steps * ((time - start) / (to - start)));
  const days: DaySteps[] = [];
  for (let begin = start; begin < to;) {
    const { date: today, end } = LocalDay.at(timeZone, begin);
    const stepsOfDay = stepsUntil(Math.min(end, to)) - stepsUntil(begin);
    if (stepsOfDay > 0) days.push({ day: today, steps: stepsOfDay });
    begin = end;
  }
  return days;
}
