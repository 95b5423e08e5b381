/** Returns a duration as minutes and seconds: 1:05. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Returns a long duration as hours and minutes in words: 4 hr 28 min. */
export function formatHours(milliseconds: number, language: string): string {
  const minutes = Math.round(milliseconds / 60_000);
  const parts = [
    { unit: 'hour', value: Math.floor(minutes / 60) },
    { unit: 'minute', value: minutes % 60 },
  ].filter(({ unit, value }) => value > 0 || (unit === 'minute' && minutes === 0));
  return parts
    .map(({ unit, value }) =>
      new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(value),
    )
    .join(' ');
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** The units of storage count in steps of 1,024, as phones do: a cloud of 20 GB is not one of 21.5 GB. */
const BYTE_STEP = 1_024;

/**
 * Returns a number of bytes in the largest unit in which it is at least one: 1.4 GB.
 * @param total - a larger number that is shown beside it, whose unit it then has
 */
export function formatBytes(bytes: number, language: string, total = bytes): string {
  const power = Math.min(BYTE_UNITS.length - 1, total < 1 ? 0 : Math.floor(Math.log2(total) / 10));
  const options = { style: 'unit', unit: BYTE_UNITS[power] ?? 'byte', unitDisplay: 'short' } as const;
  return new Intl.NumberFormat(language, { ...options, maximumFractionDigits: power > 1 ? 1 : 0 }).format(
    bytes / BYTE_STEP ** power,
  );
}

/** Returns the day of a time in the time zone of the browser: 2026-3-1. */
export function localDay(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
}

export function isToday(time: number): boolean {
  return localDay(time) === localDay(Date.now());
}

/** Returns a day in words, without the year in the current one. */
export function formatDay(time: number, language: string): string {
  const date = new Date(time);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return date.toLocaleDateString(language, {
    ...{ weekday: 'long', day: 'numeric', month: 'long' },
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

/**
 * Returns a time of day as all pages show it: hour and minute.
 *
 * @param timeZone - of the text, by default that of the browser; a zone that differs from it is named
 */
export function formatTime(time: number, language: string, timeZone?: string): string {
  const text = new Date(time).toLocaleTimeString(language, { timeStyle: 'short', ...(timeZone && { timeZone }) });
  if (timeZone === undefined || isOwnZone(timeZone, time)) return text;
  const parts = new Intl.DateTimeFormat(language, { timeZone, timeZoneName: 'short' }).formatToParts(time);
  return `${text} ${parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone}`;
}

/** Returns a time of day of a schedule, such as `07:30`, in the form of {@link formatTime}. */
export function formatClock(clock: string, language: string): string {
  return new Date(`2000-01-01T${clock}Z`).toLocaleTimeString(language, { timeStyle: 'short', timeZone: 'UTC' });
}

/** Returns whether the clocks of a zone and of the browser show the same at all these times. */
export function isOwnZone(timeZone: string, ...times: number[]): boolean {
  const format = (time: number, zone: Intl.DateTimeFormatOptions) =>
    new Date(time).toLocaleString('en', { dateStyle: 'short', timeStyle: 'short', ...zone });
  return times.every((time) => format(time, { timeZone }) === format(time, {}));
}
