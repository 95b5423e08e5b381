const formats = new Map<string, Intl.DateTimeFormat>();

/** Calendar day (`YYYY-MM-DD`) of a moment (Unix milliseconds) in a time zone of the IANA database. */
export function dayIn(timeZone: string, time: number): string {
  let format = formats.get(timeZone);
  if (!format) {
    // The Swedish way to write a date is ISO 8601.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
    formats.set(timeZone, format);
  }
  return format.format(time);
}
