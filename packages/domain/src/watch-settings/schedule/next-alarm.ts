import { Temporal } from 'temporal-polyfill';
import { ALARM_REPEAT } from '../contracts/alarm-clock.js';
import type { AlarmSchedule } from '../contracts/alarm-clock.js';

/** With all skipped dates on the one weekday of an alarm, the next ring still lies within this many days. */
const HORIZON_DAYS = 7 * 102;

/**
 * When the alarm rings next after `after` (both Unix milliseconds), `null` for never. A time that the clocks leave out
 * is rung as much later as they jump, one that comes twice is rung the first time (RFC 5545). On a day that the
 * calendar leaves out nothing rings.
 */
export function nextAlarmAt(alarm: AlarmSchedule, timeZone: string, after: number): number | null {
  if (!alarm.enabled) return null;
  if (alarm.repeat !== ALARM_REPEAT.ONCE) return firstRing(alarm, timeZone, after);
  const only = firstRing(alarm, timeZone, alarm.setAt);
  return only !== null && only > after ? only : null;
}

function firstRing(alarm: AlarmSchedule, timeZone: string, after: number): number | null {
  const { hour, minute } = alarm;
  // A time that was left out yesterday may ring after midnight.
  let day = Temporal.Instant.fromEpochMilliseconds(after)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .subtract({ days: 1 });
  for (let passed = 0; passed < HORIZON_DAYS; passed += 1, day = day.add({ days: 1 })) {
    if (!ringsOn(alarm, day) || !exists(day, timeZone)) continue;
    const ring = day.toZonedDateTime({ timeZone, plainTime: { hour, minute } }).epochMilliseconds;
    if (ring > after) return ring;
  }
  return null;
}

/** A country that moves across the date line has a day less: Samoa had no 30 December 2011. */
function exists(day: Temporal.PlainDate, timeZone: string): boolean {
  return day.toZonedDateTime(timeZone).toPlainDate().equals(day);
}

function ringsOn({ repeat, weekdays, skipDates }: AlarmSchedule, day: Temporal.PlainDate): boolean {
  if (skipDates.includes(day.toString())) return false;
  return repeat !== ALARM_REPEAT.CUSTOM || weekdays.includes(day.dayOfWeek);
}
