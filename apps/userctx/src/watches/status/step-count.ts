import { LocalDay } from '@family-watch/domain/watches/schedule/local-day';
import type { DailyStepsEntity } from '@family-watch/domain/watches/entities/watch.entities';
import type { EffectiveBinding } from '../binding/watch-binding.repository.js';

/** Value of a watch's step counter at a time (Unix milliseconds). */
export interface CounterReading {
  total: number;
  time: number;
}

/** An earlier reading; its total is null if it was erased with the data of an earlier child, or was not plausible. */
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

/** A child does not walk more in a day. */
export const MAX_STEPS_PER_DAY = 50_000;

/** More than three steps per second: running without a pause. */
const MAX_STEPS_PER_HOUR = 12_000;

/**
 * Returns the most steps that a child can have made in a period of milliseconds. An hour is added, because some watches
 * count in batches.
 */
function maxStepsIn(period: number): number {
  const hours = period / (60 * 60_000);
  return Math.min(MAX_STEPS_PER_HOUR * (hours + 1), MAX_STEPS_PER_DAY * Math.max(hours / 24, 1));
}

/**
 * Returns the steps that a child has made since the previous reading of the watch's counter, or null if a child cannot
 * have made them, so that the reading says nothing. The counter of a watch that enrols is zero, so the first reading
 * counts as a whole, unless it is so large that the counter is older than the enrolment. A counter below its previous
 * value was reset and started at zero. Returns zero if the current reading is not newer than the previous reading,
 * because its steps are already included; and for the first reading of a binding if the watch was bound to another child
 * before, because that child may have made the steps.
 * @param previous the newest earlier reading; null if the watch has never reported its counter
 */
export function stepsBetween(
  previous: PreviousReading | null,
  current: CounterReading,
  { boundAt, wasBoundToOtherChild }: Pick<EffectiveBinding, 'boundAt' | 'wasBoundToOtherChild'>,
): number | null {
  if (previous && current.time <= previous.time) return 0;
  if (wasBoundToOtherChild && (!previous || previous.time < boundAt)) return 0;
  if (previous?.total === null) return 0;
  const start = previous && current.total >= previous.total ? previous.total : 0;
  const maxSteps = previous ? maxStepsIn(current.time - previous.time) : MAX_STEPS_PER_DAY;
  const steps = current.total - start;
  return steps <= maxSteps ? steps : null;
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
