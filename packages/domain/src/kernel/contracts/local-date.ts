const MINUTE_MS = 60_000;

/** By time zone in upper case: names are case-insensitive, so a time zone has many valid spellings. */
const formatters = new Map<string, Intl.DateTimeFormat>();
/**
 * Last computed date per time zone in upper case. Formatting a date takes microseconds, and most queries are for a few
 * time zones in the current minute.
 */
const cachedDates = new Map<string, { minute: number; day: string }>();

/** Returns the date (`YYYY-MM-DD`) of `time` (Unix milliseconds) in an IANA time zone. */
export function localDateIn(timeZone: string, time: number): string {
  // In every time zone a day begins at a full minute.
  const minute = Math.floor(time / MINUTE_MS);
  const key = timeZone.toUpperCase();
  const cached = cachedDates.get(key);
  if (cached?.minute === minute) return cached.day;
  const day = formatterOf(key).format(minute * MINUTE_MS);
  cachedDates.set(key, { minute, day });
  return day;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const cached = formatters.get(timeZone);
  if (cached) return cached;
  // The short date format of the locale `sv-SE` (Sweden) is `YYYY-MM-DD`.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  formatters.set(timeZone, format);
  return format;
}
