/** Returns a duration as minutes and seconds: 1:05. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Returns a number of bytes in the largest unit in which it is at least one: 1.4 GB. */
export function formatBytes(bytes: number, language: string): string {
  const power = Math.min(BYTE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const options = { style: 'unit', unit: BYTE_UNITS[power] ?? 'byte', unitDisplay: 'short' } as const;
  return new Intl.NumberFormat(language, { ...options, maximumFractionDigits: power > 1 ? 1 : 0 }).format(
    bytes / 1_000 ** power,
  );
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

export function formatTime(time: number, language: string): string {
  return new Date(time).toLocaleTimeString(language, { hour: 'numeric', minute: '2-digit' });
}
