import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ZONES, localTimeOf } from '../../../test/support/schedules.js';
import type { AlarmSchedule } from '../contracts/alarm-clock.js';
import { dayNumber, weekdayOf } from '../contracts/school-time.js';
import { nextAlarmAt } from './next-alarm.js';

const QUARTER_HOUR_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

const alarm = (change: Partial<AlarmSchedule> = {}): AlarmSchedule => ({
  hour: 7,
  minute: 30,
  repeat: 'DAILY',
  weekdays: [],
  skipDates: [],
  enabled: true,
  setAt: 0,
  ...change,
});

const at = (text: string): number => Date.parse(text);
const alarmAt = (time: string) => alarm({ hour: Number(time.slice(0, 2)), minute: Number(time.slice(3)) });
/** Returns the next ring after a time, both as `YYYY-MM-DDTHH:MM` in UTC. */
const nextRing = (schedule: AlarmSchedule, timeZone: string, after: string) =>
  new Date(nextAlarmAt(schedule, timeZone, at(`${after}Z`)) ?? 0).toISOString().replace(':00.000Z', '');

/** Times around clock changes. */
const moments = fc
  .tuple(
    fc.constantFrom(
      ...['2026-02-15', '2026-03-08', '2026-03-22', '2026-03-29', '2026-04-05', '2026-04-24', '2026-07-01'],
      ...['2026-09-06', '2026-10-04', '2026-10-25', '2026-10-29', '2026-11-01'],
    ),
    fc.integer({ min: -3 * 96, max: 3 * 96 }),
  )
  .map(([day, quarters]) => at(`${day}T00:00:00Z`) + quarters * QUARTER_HOUR_MS);

describe('nextAlarmAt', () => {
  test('returns the first quarter hour with the local time of the alarm on a matching day', () => {
    const days = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 });
    const times = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 30, 45));
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moments, times, days, (timeZone, after, [hour, minute], weekdays) => {
        const alarmTime = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
        const skipDates = [localTimeOf(timeZone, after + DAY_MS).slice(0, 10)];
        const matchesAlarm = (time: number) => {
          const [day = '', clock] = localTimeOf(timeZone, time).split(' ');
          return clock === alarmTime && weekdays.includes(weekdayOf(dayNumber(day))) && !skipDates.includes(day);
        };
        const ring = nextAlarmAt(alarm({ hour, minute, repeat: 'CUSTOM', weekdays, skipDates }), timeZone, after);
        if (ring === null) throw new Error('The alarm must ring');
        expect(ring).toBeGreaterThan(after);
        for (let time = after + QUARTER_HOUR_MS; time < ring; time += QUARTER_HOUR_MS) {
          // An alarm does not ring twice at a repeated local time.
          const isSecondOccurrence =
            matchesAlarm(time - 2 * QUARTER_HOUR_MS) || matchesAlarm(time - 4 * QUARTER_HOUR_MS);
          const isMissedRing = matchesAlarm(time) && !isSecondOccurrence;
          expect([localTimeOf(timeZone, time), isMissedRing]).toEqual([localTimeOf(timeZone, time), false]);
        }
        // An alarm at a skipped local time rings half an hour or one hour later; otherwise the ring matches the alarm.
        const isAfterSkippedTime = [2, 4].some((quarters) => {
          const expected = localTimeOf(timeZone, ring - quarters * QUARTER_HOUR_MS);
          return expected < localTimeOf(timeZone, ring) && !localTimeOf(timeZone, ring).endsWith(alarmTime);
        });
        const isExpectedRing = matchesAlarm(ring) || isAfterSkippedTime;
        expect([localTimeOf(timeZone, ring), isExpectedRing]).toEqual([localTimeOf(timeZone, ring), true]);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test.each([
    // In Berlin, 02:00 to 03:00 is skipped on 29 March and repeated on 25 October.
    ['a local time that is skipped', '02:30', '2026-03-28T20:00', '2026-03-29T01:30'],
    ['the day after the local time was skipped', '02:30', '2026-03-29T01:30', '2026-03-30T00:30'],
    ['the first instant of a repeated local time', '02:30', '2026-10-24T20:00', '2026-10-25T00:30'],
    ['the day after a repeated local time, without a second ring', '02:30', '2026-10-25T00:30', '2026-10-26T01:30'],
    ['noon on the day before clocks change', '12:00', '2026-03-28T00:00', '2026-03-28T11:00'],
    ['noon on the day of the clock change', '12:00', '2026-03-29T00:00', '2026-03-29T10:00'],
  ])('applies the clock changes of Berlin and returns the next ring for %s', (_, time, after, expected) => {
    expect(nextRing(alarmAt(time), 'Europe/Berlin', after)).toBe(expected);
  });

  test.each([
    // Lord Howe Island skips half an hour on 4 October and repeats half an hour on 5 April.
    ['Australia/Lord_Howe', '02:15', '2026-10-03T00:00', '2026-10-03T15:45'],
    ['Australia/Lord_Howe', '02:15', '2026-10-03T15:45', '2026-10-04T15:15'],
    ['Australia/Lord_Howe', '01:45', '2026-04-04T00:00', '2026-04-04T14:45'],
    ['Australia/Lord_Howe', '01:45', '2026-04-04T14:45', '2026-04-05T15:15'],
    // Santiago skips the first hour of 6 September and repeats the last hour of 4 April.
    ['America/Santiago', '00:30', '2026-09-06T03:00', '2026-09-06T04:30'],
    ['America/Santiago', '00:00', '2026-09-06T03:00', '2026-09-06T04:00'],
    ['America/Santiago', '23:30', '2026-04-04T12:00', '2026-04-05T02:30'],
    ['America/Santiago', '23:30', '2026-04-05T02:30', '2026-04-06T03:30'],
    // Nuuk skips the last hour of 28 March: the alarm rings after midnight, even if the search starts after midnight.
    ['America/Nuuk', '23:30', '2026-03-28T12:00', '2026-03-29T01:30'],
    ['America/Nuuk', '23:30', '2026-03-29T01:10', '2026-03-29T01:30'],
    // Casablanca has winter time only during Ramadan, from 15 February to 22 March.
    ['Africa/Casablanca', '07:00', '2026-02-14T12:00', '2026-02-15T07:00'],
    ['Africa/Casablanca', '07:00', '2026-03-21T12:00', '2026-03-22T06:00'],
    ['Africa/Casablanca', '02:30', '2026-03-21T12:00', '2026-03-22T02:30'],
    // Samoa skipped Friday, 30 December 2011.
    ['Pacific/Apia', '07:00', '2011-12-29T18:00', '2011-12-30T17:00'],
    ['Pacific/Apia', '07:00', '2011-12-30T17:00', '2011-12-31T17:00'],
  ])('in %s, for an alarm at %s, returns the next ring after %s', (timeZone, time, after, expected) => {
    expect(nextRing(alarmAt(time), timeZone, after)).toBe(expected);
  });

  test('returns the ring of the next week if the date line skips the weekday', () => {
    const friday = { ...alarmAt('07:00'), repeat: 'CUSTOM' as const, weekdays: [5] };
    expect(nextRing(friday, 'Pacific/Apia', '2011-12-29T18:00')).toBe('2012-01-05T17:00');
  });

  test('returns the first matching time after setAt for an alarm with ONCE, and null after that time', () => {
    const set = at('2026-05-01T00:00:00Z');
    const once = alarm({ repeat: 'ONCE', setAt: set });
    const ring = at('2026-05-01T07:30:00Z');
    expect([set - DAY_MS, set, ring - 1].map((after) => nextAlarmAt(once, 'UTC', after))).toEqual([ring, ring, ring]);
    expect(nextAlarmAt(once, 'UTC', ring)).toBeNull();
    expect(nextAlarmAt({ ...once, skipDates: ['2026-05-01'] }, 'UTC', set)).toBe(ring + DAY_MS);
  });

  test('returns null for a disabled alarm', () => {
    expect(nextAlarmAt(alarm({ enabled: false }), 'UTC', 0)).toBeNull();
  });

  test('finds the next ring when the alarm skips the maximum number of dates', () => {
    const monday = dayNumber('2026-03-02');
    const skipDates = Array.from({ length: 100 }, (_, week) =>
      new Date((monday + week * 7) * DAY_MS).toISOString().slice(0, 10),
    );
    const ring = nextAlarmAt(alarm({ repeat: 'CUSTOM', weekdays: [1], skipDates }), 'UTC', monday * DAY_MS);
    expect(ring).toBe((monday + 700) * DAY_MS + 7.5 * 3_600_000);
  });
});
