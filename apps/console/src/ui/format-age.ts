const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Returns how long ago a time was, in words. Both times are Unix milliseconds. */
export function formatAge(time: number, now: number, language: string): string {
  const seconds = Math.max(0, Math.round((now - time) / 1_000));
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, size] = STEPS.find(([, length]) => seconds >= length) ?? (['second', 0] as const);
  return size === 0 ? format.format(0, 'second') : format.format(-Math.floor(seconds / size), unit);
}
