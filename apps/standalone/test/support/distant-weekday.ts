/**
 * Returns the ISO weekday (1 is Monday) three days from now, which is not the current weekday in any time zone. A
 * school time on this weekday restricts nobody while a test runs.
 */
export function distantWeekday(): number {
  return ((new Date().getUTCDay() + 2) % 7) + 1;
}
