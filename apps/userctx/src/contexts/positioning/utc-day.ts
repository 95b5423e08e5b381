const DAY_MS = 86_400_000;

/** Returns the days since 1970 in UTC, the finest resolution in which times of observations are stored. */
export function utcDayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}
