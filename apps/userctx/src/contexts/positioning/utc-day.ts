const DAY = 86_400_000;

/** Days since 1970, in UTC: the finest time that is kept of who heard what. */
export function utcDayOf(time: number): number {
  return Math.floor(time / DAY);
}
