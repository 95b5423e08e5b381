/** What the watch's step counter showed at a moment (Unix milliseconds). */
export interface CounterReading {
  total: number;
  time: number;
}

/**
 * Steps made between two readings of one counter. A counter that shows less than before was reset and started at
 * zero. Without a reading before it, or with one from before the watch was bound to this child, a reading says
 * nothing of this child's steps: it is only where counting starts.
 */
export function stepsBetween(previous: CounterReading | null, current: CounterReading, boundAt: number): number {
  if (!previous || previous.time < boundAt || current.time <= previous.time) return 0;
  return current.total >= previous.total ? current.total - previous.total : current.total;
}
