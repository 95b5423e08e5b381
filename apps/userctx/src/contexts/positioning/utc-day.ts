const DAY_MS = 86_400_000;

/** Returns days since 1970, in UTC: the finest time stored about observations. */
export function utcDayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}
