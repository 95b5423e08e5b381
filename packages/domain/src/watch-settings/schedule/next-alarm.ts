import { Temporal } from 'temporal-polyfill';
import { ALARM_REPEAT } from '../contracts/alarm-clock.js';
import type { AlarmSchedule } from '../contracts/alarm-clock.js';

/**
 * Number of days to search: even if all skipped dates are on the only weekday of an alarm, the next ring is within this
 * time.
 */
const MAX_SEARCH_DAYS = 7 * 102;

/**
 * Returns when the alarm rings next after `after` (both in Unix milliseconds), or `null` if the alarm never rings
 * again. If a clock change skips the local time, the alarm rings later by the length of the jump; if it repeats the
 * local time, the alarm rings at the first instant (RFC 5545). On a date that the calendar skips, no alarm rings.
 */
export function nextAlarmAt(alarm: AlarmSchedule, timeZone: string, after: number): number | null {
  if (!alarm.enabled) return null;
  if (alarm.repeat !== ALARM_REPEAT.ONCE) return findFirstRing(alarm, timeZone, after);
  const only = findFirstRing(alarm, timeZone, alarm.setAt);
  return only !== null && only > after ? only : null;
}

function findFirstRing(alarm: AlarmSchedule, timeZone: string, after: number): number | null {
  const { hour, minute } = alarm;
  // Starts with yesterday, because an alarm whose time was skipped yesterday may ring after midnight.
  let day = Temporal.Instant.fromEpochMilliseconds(after)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .subtract({ days: 1 });
  for (let passed = 0; passed < MAX_SEARCH_DAYS; passed += 1, day = day.add({ days: 1 })) {
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
