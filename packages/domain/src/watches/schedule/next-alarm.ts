import { Temporal } from 'temporal-polyfill';
import { ALARM_REPEAT, type AlarmSchedule } from '../contracts/alarm-clock.js';

/**
 * Number of days to search: 102 weeks. An alarm with a single weekday can have 100 skip dates, all on that weekday, so
 * its next ring may be more than 100 weeks away.
 */
const MAX_SEARCH_DAYS = 7 * 102;

/**
 * Returns when the alarm rings next after `after` (both in Unix milliseconds), or `null` if the alarm does not ring any
 * more. If a clock change skips the local time, the alarm rings later by the length of the jump. If a clock change
 * repeats the local time, the alarm rings at the first of the two instants (RFC 5545). No alarm rings on a date that a
 * time zone skips.
 */
export function nextAlarmAt(alarm: AlarmSchedule, timeZone: string, after: number): number | null {
  if (!alarm.enabled) return null;
  if (alarm.repeat !== ALARM_REPEAT.ONCE) return findFirstRing(alarm, timeZone, after);
  const ring = findFirstRing(alarm, timeZone, alarm.setAt);
  return ring !== null && ring > after ? ring : null;
}

function findFirstRing(alarm: AlarmSchedule, timeZone: string, after: number): number | null {
  const { hour, minute } = alarm;
  // Starts with yesterday: if a clock change skipped the time of yesterday's alarm, the alarm can ring after midnight.
  let day = Temporal.Instant.fromEpochMilliseconds(after)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .subtract({ days: 1 });
  for (let dayCount = 0; dayCount < MAX_SEARCH_DAYS; dayCount += 1, day = day.add({ days: 1 })) {
    if (!ringsOn(alarm, day) || !dateExists(day, timeZone)) continue;
    const ring = day.toZonedDateTime({ timeZone, plainTime: { hour, minute } }).epochMilliseconds;
    if (ring > after) return ring;
  }
  return null;
}

/** Returns false for a date skipped by a move across the date line: Samoa had no 30 December 2011. */
function dateExists(day: Temporal.PlainDate, timeZone: string): boolean {
  return day.toZonedDateTime(timeZone).toPlainDate().equals(day);
}

function ringsOn({ repeat, weekdays, skipDates }: AlarmSchedule, day: Temporal.PlainDate): boolean {
  if (skipDates.includes(day.toString())) return false;
  return repeat !== ALARM_REPEAT.CUSTOM || weekdays.includes(day.dayOfWeek);
}
