import { useEffect, useState } from 'react';
import { useLanguage } from '../core/texts.js';
import { useDateFormat } from './date-time.js';
import { formatAge } from './format-age.js';

const REFRESH_MS = 30_000;

/** Shows how long ago a time was, and keeps it current. */
export function RelativeTime({ time }: { time: number }) {
  const [language] = useLanguage();
  const format = useDateFormat();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(time);
  return (
    <time dateTime={date.toISOString()} title={format(time)}>
      {formatAge(time, Math.max(now, Date.now()), language)}
    </time>
  );
}
