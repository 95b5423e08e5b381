const DAY_MS = 86_400_000;

/** Returns the days since 1970 in UTC. Times of observations are stored as such days and no finer. */
export function utcDayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}
