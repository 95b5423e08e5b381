import { LocalDay } from '@family-watch/domain/watch-settings/schedule/local-day';
import type { DailyStepsEntity } from '@family-watch/domain/watches/entities/watch.entities';
import type { EffectiveBinding } from '../binding/watch-binding.repository.js';

/** Value of a watch's step counter at a time (Unix milliseconds). */
export interface CounterReading {
  total: number;
  time: number;
}

/** An earlier reading; its total is null if it was erased with the data of an earlier child. */
export interface PreviousReading {
  total: number | null;
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
 * Largest first reading of a watch that counts as steps of the child. A child does not walk more in a day, so a larger
 * counter has counted since long before the watch enrolled.
 */
const MAX_FIRST_READING = 50_000;

/**
 * Returns the steps that a child has made since the previous reading of the watch's counter. The counter of a watch that
 * enrols is zero, so the first reading counts as a whole. A counter below its previous value was reset and started at
 * zero. Returns zero if the current reading is not newer than the previous reading, because its steps are already
 * included; and for the first reading of a binding if the watch was bound to another child before, because that child
 * may have made the steps.
 * @param previous the newest earlier reading; null if the watch has never reported its counter
 */
export function stepsBetween(
  previous: PreviousReading | null,
  current: CounterReading,
  { boundAt, wasBoundToOtherChild }: Pick<EffectiveBinding, 'boundAt' | 'wasBoundToOtherChild'>,
): number {
  if (previous && current.time <= previous.time) return 0;
  if (wasBoundToOtherChild && (!previous || previous.time < boundAt)) return 0;
  if (previous?.total === null) return 0;
  if (!previous) return current.total <= MAX_FIRST_READING ? current.total : 0;
  return current.total >= previous.total ? current.total - previous.total : current.total;
}

/**
 * Distributes the steps between two times (Unix milliseconds) over the days of a time zone. The counter does not record
 * when the steps were made, so steps across midnight are distributed evenly, over at most the last 24 hours. No step is
 * lost or counted twice.
 */
export function stepsByDay(steps: number, from: number, to: number, timeZone: string): DaySteps[] {
  // A reading can have the time of the binding; its steps are then of the millisecond before.
  const start = Math.max(Math.min(from, to - 1), to - MAX_DISTRIBUTION_MS);
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
