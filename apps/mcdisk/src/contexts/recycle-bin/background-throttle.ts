/**
 * Ratio of the pause to the duration of the preceding background work. The pause leaves the database capacity for
 * requests.
 */
const PAUSE_FACTOR = 9;
/** Minimum pause, milliseconds, also after work that took no measurable time. */
const MIN_PAUSE_MS = 25;
const MAX_PAUSE_MS = 5_000;

/** Returns how long to pause after work of the given duration, both milliseconds. */
export function pauseAfterWork(workedMs: number): number {
  return Math.min(Math.max(workedMs * PAUSE_FACTOR, MIN_PAUSE_MS), MAX_PAUSE_MS);
}
