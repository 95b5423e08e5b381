import type { QuietHours } from '@family-watch/domain/messages/contracts/subscription';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/**
 * Returns whether quiet hours are in effect at `time`, by the local time of their zone. Quiet hours within the hour
 * that is skipped in spring do not take effect on the day of the change. Quiet hours within the hour that is repeated
 * in autumn take effect in both passes.
 * @param time Unix milliseconds
 */
export function isQuiet({ from, to, timeZone, weekdays }: QuietHours, time: number): boolean {
  const { weekday, minuteOfDay } = toLocalTime(time, timeZone);
  const startsOn = (day: number) => weekdays === undefined || weekdays.includes(day);
  if (from <= to) return startsOn(weekday) && minuteOfDay >= from && minuteOfDay < to;
  // The range spans midnight: the evening counts for the current weekday, the morning for the previous weekday.
  return minuteOfDay >= from ? startsOn(weekday) : minuteOfDay < to && startsOn(weekday === 1 ? 7 : weekday - 1);
}

function toLocalTime(time: number, timeZone: string): { weekday: number; minuteOfDay: number } {
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
    minuteOfDay: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  };
}
