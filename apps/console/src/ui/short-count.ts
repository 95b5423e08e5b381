const MAX_SHOWN = 99;

/** Returns a count as a badge shows it: nobody reads a longer number. */
export function shortCount(count: number): string {
  return count > MAX_SHOWN ? `${MAX_SHOWN}+` : String(count);
}
