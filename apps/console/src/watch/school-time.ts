import type { Schema } from '@family-watch/client';

type SchoolTimes = Pick<Schema<'SchoolTimesDto'>, 'items' | 'pausedOn'>;
type SchoolTime = Schema<'SchoolTimeDto'>;

const MINUTES_PER_DAY = 1_440;
const DAY_MS = 86_400_000;

/**
 * Returns the school time in force, as the watch evaluates it itself: in the child's time zone, and without the service.
 * A school time whose end is not after its start ends on the next day.
 */
export function findSchoolTime(
  { items, pausedOn }: SchoolTimes,
  timeZone: string,
  now: number,
): SchoolTime | undefined {
  const { date, minutes } = localTime(now, timeZone);
  if (pausedOn === date) return undefined;
  const yesterday = new Date(Date.parse(date) - DAY_MS).toISOString().slice(0, 10);
  return items.find((schoolTime) => {
    if (!schoolTime.enabled) return false;
    const start = toMinutes(schoolTime.start);
    const end = toMinutes(schoolTime.end) + (toMinutes(schoolTime.end) <= start ? MINUTES_PER_DAY : 0);
    const isInToday = startsOn(schoolTime, date) && minutes >= start && minutes < end;
    return isInToday || (startsOn(schoolTime, yesterday) && minutes + MINUTES_PER_DAY < end);
  });
}

/** Returns the date (YYYY-MM-DD) and the minutes since midnight in a time zone. */
function localTime(time: number, timeZone: string): { date: string; minutes: number } {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  return {
    date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    minutes: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
}

function toMinutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

/** An extra date takes precedence over a holiday. */
function startsOn({ weekdays, holidays, extraDates }: SchoolTime, date: string): boolean {
  if (extraDates.includes(date)) return true;
  const weekday = new Date(date).getUTCDay() || 7;
  return weekdays.includes(weekday) && !holidays.includes(date);
}
