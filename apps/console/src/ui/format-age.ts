const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/**
 * Returns how long ago a time was, in words. Both times are Unix milliseconds.
 * @param smallest - what is younger than a minute is "now", or has its seconds
 */
export function formatAge(
  time: number,
  now: number,
  language: string,
  smallest: 'minute' | 'second' = 'minute',
): string {
  const seconds = Math.max(0, Math.round((now - time) / 1_000));
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, size] = STEPS.find(([, length]) => seconds >= length) ?? (['second', 1] as const);
  if (unit === 'second' && smallest === 'minute') return format.format(0, 'second');
  return format.format(-Math.floor(seconds / size), unit);
}
