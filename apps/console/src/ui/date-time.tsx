import { useLanguage } from '../core/texts.js';

const STYLES = {
  date: { dateStyle: 'medium' },
  time: { timeStyle: 'short' },
  'date-time': { dateStyle: 'medium', timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type DateTimeStyle = keyof typeof STYLES;

/** Returns a function that formats Unix milliseconds in the language of the person and the time zone of the browser. */
export function useDateFormat(style: DateTimeStyle = 'date-time'): (time: number) => string {
  const [language] = useLanguage();
  return (time) => new Intl.DateTimeFormat(language, STYLES[style]).format(time);
}

/** Shows a point in time, as Unix milliseconds. */
export function DateTime({ time, style }: { time: number; style?: DateTimeStyle }) {
  const format = useDateFormat(style);
  return <time dateTime={new Date(time).toISOString()}>{format(time)}</time>;
}
