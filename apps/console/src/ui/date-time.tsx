import { useLanguage } from '../core/texts.js';

const STYLES = {
  date: { dateStyle: 'medium' },
  time: { timeStyle: 'short' },
  'date-time': { dateStyle: 'medium', timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type DateTimeStyle = keyof typeof STYLES;

/**
 * Returns a function that formats Unix milliseconds in the language of the person.
 *
 * @param timeZone - by default that of the browser; the page names another one
 */
export function useDateFormat(style: DateTimeStyle = 'date-time', timeZone?: string): (time: number) => string {
  const [language] = useLanguage();
  return (time) => new Intl.DateTimeFormat(language, { ...STYLES[style], ...(timeZone && { timeZone }) }).format(time);
}

interface DateTimeProps {
  /** Unix milliseconds. */
  time: number;
  style?: DateTimeStyle;
  timeZone?: string | undefined;
}

/** Shows a point in time. */
export function DateTime({ time, style, timeZone }: DateTimeProps) {
  const format = useDateFormat(style, timeZone);
  return <time dateTime={new Date(time).toISOString()}>{format(time)}</time>;
}
