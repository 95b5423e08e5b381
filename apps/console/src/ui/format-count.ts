const MAX_SHOWN = 99;

/** Returns a count as a badge shows it: `99+` for all larger numbers, some of which the service does not count exactly. */
export function formatCount(count: number): string {
  return count > MAX_SHOWN ? `${MAX_SHOWN}+` : String(count);
}
