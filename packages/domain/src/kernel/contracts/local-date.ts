const MINUTE = 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();
/** Formatting costs microseconds, and the same zones are asked for all the time. */
const reckoned = new Map<string, { minute: number; day: string }>();

/** Calendar day (`YYYY-MM-DD`) of a moment (Unix milliseconds) in a time zone of the IANA database. */
export function localDateIn(timeZone: string, time: number): string {
  // Every zone's day begins with a full minute.
  const minute = Math.floor(time / MINUTE);
  const known = reckoned.get(timeZone);
  if (known?.minute === minute) return known.day;
  const day = formatOf(timeZone).format(minute * MINUTE);
  reckoned.set(timeZone, { minute, day });
  return day;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  // The Swedish way to write a date is ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  formats.set(timeZone, format);
  return format;
}
