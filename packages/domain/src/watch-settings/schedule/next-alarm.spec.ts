import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import type { AlarmSchedule } from '../contracts/alarm-clock.js';
import { dayNumber, weekdayOf } from '../contracts/school-time.js';
import { nextAlarmAt } from './next-alarm.js';

const QUARTER = 15 * 60_000;
const DAY = 86_400_000;

/**
 * With whole hours, half an hour (Lord Howe), a jump from midnight on (Havana, Cairo, Santiago) and one up to it (Nuuk),
 * winter time in the middle of the year's first half (Casablanca, for Ramadan), and none at all.
 */
const ZONES = [
  'Asia/Shanghai',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Havana',
  'Africa/Cairo',
  'America/Santiago',
  'America/Nuuk',
  'Africa/Casablanca',
];

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock on the wall shows: `YYYY-MM-DD HH:MM`. Not by the library that is tested. */
function wall(timeZone: string, time: number): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' });
  formats.set(timeZone, format);
  return format.format(time);
}

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

/** Moments around the changes of the clocks, where everything that can go wrong does. */
const moments = fc
  .tuple(
    fc.constantFrom(
      ...['2026-02-15', '2026-03-08', '2026-03-22', '2026-03-29', '2026-04-05', '2026-04-24', '2026-07-01'],
      ...['2026-09-06', '2026-10-04', '2026-10-25', '2026-10-29', '2026-11-01'],
    ),
    fc.integer({ min: -3 * 96, max: 3 * 96 }),
  )
  .map(([day, quarters]) => at(`${day}T00:00:00Z`) + quarters * QUARTER);

describe('nextAlarmAt', () => {
  test('is the first quarter of an hour at which the clock shows the time on a fitting day', () => {
    const days = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 });
    const times = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 30, 45));
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moments, times, days, (timeZone, after, [hour, minute], weekdays) => {
        const shown = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
        const skipDates = [wall(timeZone, after + DAY).slice(0, 10)];
        const fits = (time: number) => {
          const [day = '', clock] = wall(timeZone, time).split(' ');
          return clock === shown && weekdays.includes(weekdayOf(dayNumber(day))) && !skipDates.includes(day);
        };
        const ring = nextAlarmAt(alarm({ hour, minute, repeat: 'CUSTOM', weekdays, skipDates }), timeZone, after);
        if (ring === null) throw new Error('It rings for ever');
        expect(ring).toBeGreaterThan(after);
        for (let time = after + QUARTER; time < ring; time += QUARTER) {
          // The second of two equal times does not ring again.
          const again = fits(time - 2 * QUARTER) || fits(time - 4 * QUARTER);
          expect([wall(timeZone, time), fits(time) && !again]).toEqual([wall(timeZone, time), false]);
        }
        // A time that was left out is rung up to an hour later, else the clock shows it.
        const leftOut = [2, 4].some((quarters) => {
          const expected = wall(timeZone, ring - quarters * QUARTER);
          return expected < wall(timeZone, ring) && !wall(timeZone, ring).endsWith(shown);
        });
        expect([wall(timeZone, ring), fits(ring) || leftOut]).toEqual([wall(timeZone, ring), true]);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test.each([
    // Berlin: 02:00 to 03:00 is left out on 29 March, and comes twice on 25 October.
    ['a time that is left out', { hour: 2, minute: 30 }, '2026-03-28T20:00:00Z', '2026-03-29T01:30:00.000Z'],
    ['the day after it', { hour: 2, minute: 30 }, '2026-03-29T01:30:00Z', '2026-03-30T00:30:00.000Z'],
    [
      'a time that comes twice, the first time',
      { hour: 2, minute: 30 },
      '2026-10-24T20:00:00Z',
      '2026-10-25T00:30:00.000Z',
    ],
    ['and not the second time', { hour: 2, minute: 30 }, '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
    ['noon before the change', { hour: 12, minute: 0 }, '2026-03-28T00:00:00Z', '2026-03-28T11:00:00.000Z'],
    ['noon after it', { hour: 12, minute: 0 }, '2026-03-29T00:00:00Z', '2026-03-29T10:00:00.000Z'],
  ])('Berlin: %s', (_, time, after, expected) => {
    const ring = nextAlarmAt(alarm(time), 'Europe/Berlin', at(after));
    expect(new Date(ring ?? 0).toISOString()).toBe(expected);
  });

  test.each([
    // Half an hour is left out on 4 October, and comes twice on 5 April.
    ['Australia/Lord_Howe', { hour: 2, minute: 15 }, '2026-10-03T00:00:00Z', '2026-10-03T15:45:00.000Z'],
    ['Australia/Lord_Howe', { hour: 2, minute: 15 }, '2026-10-03T15:45:00Z', '2026-10-04T15:15:00.000Z'],
    ['Australia/Lord_Howe', { hour: 1, minute: 45 }, '2026-04-04T00:00:00Z', '2026-04-04T14:45:00.000Z'],
    ['Australia/Lord_Howe', { hour: 1, minute: 45 }, '2026-04-04T14:45:00Z', '2026-04-05T15:15:00.000Z'],
    // The first hour of 6 September is left out; the last one of 4 April comes twice.
    ['America/Santiago', { hour: 0, minute: 30 }, '2026-09-06T03:00:00Z', '2026-09-06T04:30:00.000Z'],
    ['America/Santiago', { hour: 0, minute: 0 }, '2026-09-06T03:00:00Z', '2026-09-06T04:00:00.000Z'],
    ['America/Santiago', { hour: 23, minute: 30 }, '2026-04-04T12:00:00Z', '2026-04-05T02:30:00.000Z'],
    ['America/Santiago', { hour: 23, minute: 30 }, '2026-04-05T02:30:00Z', '2026-04-06T03:30:00.000Z'],
    // The last hour of 28 March is left out: it rings after midnight, and looked for after midnight it is found.
    ['America/Nuuk', { hour: 23, minute: 30 }, '2026-03-28T12:00:00Z', '2026-03-29T01:30:00.000Z'],
    ['America/Nuuk', { hour: 23, minute: 30 }, '2026-03-29T01:10:00Z', '2026-03-29T01:30:00.000Z'],
    // Winter time for Ramadan alone: from 15 February to 22 March.
    ['Africa/Casablanca', { hour: 7, minute: 0 }, '2026-02-14T12:00:00Z', '2026-02-15T07:00:00.000Z'],
    ['Africa/Casablanca', { hour: 7, minute: 0 }, '2026-03-21T12:00:00Z', '2026-03-22T06:00:00.000Z'],
    ['Africa/Casablanca', { hour: 2, minute: 30 }, '2026-03-21T12:00:00Z', '2026-03-22T02:30:00.000Z'],
    // There was no 30 December, a Friday.
    ['Pacific/Apia', { hour: 7, minute: 0 }, '2011-12-29T18:00:00Z', '2011-12-30T17:00:00.000Z'],
    ['Pacific/Apia', { hour: 7, minute: 0 }, '2011-12-30T17:00:00Z', '2011-12-31T17:00:00.000Z'],
    [
      'Pacific/Apia',
      { hour: 7, minute: 0, repeat: 'CUSTOM' as const, weekdays: [5] },
      '2011-12-29T18:00:00Z',
      '2012-01-05T17:00:00.000Z',
    ],
  ])('%s: %j after %s', (timeZone, schedule, after, expected) => {
    expect(new Date(nextAlarmAt(alarm(schedule), timeZone, at(after)) ?? 0).toISOString()).toBe(expected);
  });

  test('once: the first time after it was set, and never again', () => {
    const set = at('2026-05-01T00:00:00Z');
    const once = alarm({ repeat: 'ONCE', setAt: set });
    const ring = at('2026-05-01T07:30:00Z');
    expect([set - DAY, set, ring - 1].map((after) => nextAlarmAt(once, 'UTC', after))).toEqual([ring, ring, ring]);
    expect(nextAlarmAt(once, 'UTC', ring)).toBeNull();
    expect(nextAlarmAt({ ...once, skipDates: ['2026-05-01'] }, 'UTC', set)).toBe(ring + DAY);
  });

  test('never when it is off', () => {
    expect(nextAlarmAt(alarm({ enabled: false }), 'UTC', 0)).toBeNull();
  });

  test('still rings when as many dates are skipped as can be', () => {
    const monday = dayNumber('2026-03-02');
    const skipDates = Array.from({ length: 100 }, (_, week) =>
      new Date((monday + week * 7) * DAY).toISOString().slice(0, 10),
    );
    const ring = nextAlarmAt(alarm({ repeat: 'CUSTOM', weekdays: [1], skipDates }), 'UTC', monday * DAY);
    expect(ring).toBe((monday + 700) * DAY + 7.5 * 3_600_000);
  });
});
