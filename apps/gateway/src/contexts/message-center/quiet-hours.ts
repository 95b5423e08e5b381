import type { QuietHours } from '@family-watch/domain/messages/contracts/subscription';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/**
 * Is it quiet at this moment? The clock on the wall of that zone decides, so the hour that a change to summer time
 * skips is quiet for nobody, and the one that it repeats twice.
 * @param time Unix milliseconds
 */
export function isQuiet({ from, to, timeZone, weekdays }: QuietHours, time: number): boolean {
  const { weekday, minute } = wallClock(time, timeZone);
  const begins = (day: number) => weekdays === undefined || weekdays.includes(day);
  if (from <= to) return begins(weekday) && minute >= from && minute < to;
  // Across midnight: the evening belongs to today, the morning to the day before.
  return minute >= from ? begins(weekday) : minute < to && begins(weekday === 1 ? 7 : weekday - 1);
}

function wallClock(time: number, timeZone: string): { weekday: number; minute: number } {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  return {
    weekday: WEEKDAYS.indexOf(parts.get('weekday') ?? '') + 1,
    minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  };
}
