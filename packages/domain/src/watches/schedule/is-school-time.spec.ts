import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ZONES, clockTimes, localTimeOf, momentsNear, range } from '../../../test/support/schedules.js';
import { dateOfDayNumber, dayNumber, minutesOfDay, startsOn, type SchoolRange } from '../contracts/school-time.js';
import { isSchoolTime, schoolRangeAt } from './is-school-time.js';

const QUARTER_HOUR_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
const NOT_PAUSED = { pausedOn: null };

/** Returns the local date and the minutes since midnight. */
function localDayAndMinutes(timeZone: string, time: number): { day: string; minutes: number } {
  const [day = '', clock = ''] = localTimeOf(timeZone, time).split(' ');
  return { day, minutes: minutesOfDay(clock) };
}

/** Returns true if the local time at `time` is inside the range, without regard to clock changes. */
function isInLocalRange(range: SchoolRange, timeZone: string, time: number): boolean {
  const { day, minutes } = localDayAndMinutes(timeZone, time);
  const previousDay = dateOfDayNumber(dayNumber(day) - 1);
  const [start, end] = [minutesOfDay(range.start), minutesOfDay(range.end)];
  if (end > start) return startsOn(range, day) && minutes >= start && minutes < end;
  return (startsOn(range, day) && minutes >= start) || (startsOn(range, previousDay) && minutes < end);
}

/** Returns true if clocks in the time zone are set back less than a day before or after `time`. */
function clocksGoBackNear(timeZone: string, time: number): boolean {
  const localMinutesAt = (moment: number) => {
    const { day, minutes } = localDayAndMinutes(timeZone, moment);
    return dayNumber(day) * 1_440 + minutes;
  };
  return localMinutesAt(time + DAY_MS) - localMinutesAt(time - DAY_MS) < 2 * 1_440;
}

const ranges = fc
  .record({
    start: clockTimes,
    end: clockTimes,
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 })),
    extraDates: fc.constantFrom<string[]>([], ['2026-03-29'], ['2026-10-24', '2026-11-01']),
    holidays: fc.constantFrom<string[]>([], ['2026-03-30'], ['2026-10-25']),
  })
  .filter(({ start, end }) => start !== end)
  .map(range);

const moments = momentsNear(
  ...['2026-02-15', '2026-03-08', '2026-03-22', '2026-03-29', '2026-04-05', '2026-04-24', '2026-07-01'],
  ...['2026-09-06', '2026-10-04', '2026-10-25', '2026-10-29', '2026-11-01'],
);

describe('isSchoolTime', () => {
  test('returns true while the local time is in the range, and possibly longer when clocks go back', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moments, ranges, (timeZone, time, one) => {
        const active = isSchoolTime([one], NOT_PAUSED, timeZone, time);
        const isInRange = isInLocalRange(one, timeZone, time);
        expect(active).toBe(clocksGoBackNear(timeZone, time) ? active || isInRange : isInRange);
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  test('returns true for one contiguous period per occurrence of a range', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moments, clockTimes, clockTimes, (timeZone, time, start, end) => {
        fc.pre(start !== end);
        const { day } = localDayAndMinutes(timeZone, time);
        const once = range({ start, end, weekdays: [], extraDates: [day] });
        const from = Math.floor(time / QUARTER_HOUR_MS) * QUARTER_HOUR_MS - 3 * DAY_MS;
        const active = Array.from({ length: 6 * 96 }, (_, step) => from + step * QUARTER_HOUR_MS).map((moment) =>
          isSchoolTime([once], NOT_PAUSED, timeZone, moment),
        );
        const changeCount = active.filter((value, index) => index > 0 && value !== active[index - 1]).length;
        // No result is true if the occurrence is entirely in a skipped hour.
        expect([0, 2]).toContain(changeCount);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test.each([
    ['starts in the skipped hour is active from the jump', '02:30', '04:00', '2026-03-29T01:00:00Z', true],
    ['starts in the skipped hour is inactive before the jump', '02:30', '04:00', '2026-03-29T00:59:59Z', false],
    ['is within the skipped hour is never active', '02:15', '02:45', '2026-03-29T01:00:00Z', false],
    ['ends in the repeated hour is active until its second end', '00:30', '02:30', '2026-10-25T01:29:59Z', true],
    ['ends in the repeated hour is inactive after its second end', '00:30', '02:30', '2026-10-25T01:30:00Z', false],
  ])('applies the clock changes of Berlin: a range that %s (%s to %s)', (_, start, end, time, expected) => {
    const one = range({ start, end });
    expect(isSchoolTime([one], NOT_PAUSED, 'Europe/Berlin', Date.parse(time))).toBe(expected);
  });

  test.each([
    // Santiago skips the first hour of 6 September: a night range continues across the skipped hour, and a range that
    // would start in the skipped hour starts after the hour.
    ['America/Santiago', '21:00', '06:00', '2026-09-06T03:59:59Z', true],
    ['America/Santiago', '21:00', '06:00', '2026-09-06T04:00:00Z', true],
    ['America/Santiago', '21:00', '06:00', '2026-09-06T09:00:00Z', false],
    ['America/Santiago', '00:30', '02:00', '2026-09-06T03:59:59Z', false],
    ['America/Santiago', '00:30', '02:00', '2026-09-06T04:00:00Z', true],
    // Santiago repeats the last hour of 4 April, so both occurrences of this hour are before midnight.
    ['America/Santiago', '22:00', '00:00', '2026-04-05T03:30:00Z', true],
    ['America/Santiago', '22:00', '00:00', '2026-04-05T04:00:00Z', false],
    ['America/Santiago', '22:00', '23:30', '2026-04-05T02:45:00Z', true],
    ['America/Santiago', '22:00', '23:30', '2026-04-05T03:30:00Z', false],
    // Lord Howe Island repeats half an hour on 5 April.
    ['Australia/Lord_Howe', '01:00', '01:45', '2026-04-04T15:14:59Z', true],
    ['Australia/Lord_Howe', '01:00', '01:45', '2026-04-04T15:15:00Z', false],
    ['Africa/Casablanca', '08:00', '12:00', '2026-02-16T07:59:59Z', false],
    ['Africa/Casablanca', '08:00', '12:00', '2026-02-16T08:00:00Z', true],
    ['Africa/Casablanca', '08:00', '12:00', '2026-03-23T07:00:00Z', true],
    // Samoa skipped 30 December 2011, so there was no school time on this date.
    ['Pacific/Apia', '08:00', '12:00', '2011-12-30T10:00:00Z', false],
    ['Pacific/Apia', '08:00', '12:00', '2011-12-30T18:00:00Z', true],
  ])('in %s, for a range from %s to %s, at %s returns %s', (timeZone, start, end, time, expected) => {
    expect(isSchoolTime([range({ start, end })], NOT_PAUSED, timeZone, Date.parse(time))).toBe(expected);
  });

  test('returns false on the whole paused day, also if a clock change skips or repeats midnight', () => {
    const wholeDay = [
      range({ start: '00:00', end: '12:00' }),
      range({ start: '12:00', end: '00:00', schoolTimeId: 'two' }),
    ];
    const active = (pausedOn: string, time: string) =>
      isSchoolTime(wholeDay, { pausedOn }, 'America/Santiago', Date.parse(time));
    const aroundSkippedMidnight = [
      '2026-09-06T03:59:59Z',
      '2026-09-06T04:00:00Z',
      '2026-09-07T02:59:59Z',
      '2026-09-07T03:00:00Z',
    ];
    expect(aroundSkippedMidnight.map((time) => active('2026-09-06', time))).toEqual([true, false, false, true]);
    const aroundRepeatedMidnight = [
      '2026-04-04T02:59:59Z',
      '2026-04-04T03:00:00Z',
      '2026-04-05T03:59:59Z',
      '2026-04-05T04:00:00Z',
    ];
    expect(aroundRepeatedMidnight.map((time) => active('2026-04-04', time))).toEqual([true, false, false, true]);
  });

  test('assigns a range across midnight to the day on which it starts', () => {
    const friday = range({ start: '21:00', end: '06:00', weekdays: [5] });
    const active = [
      '2026-03-06T20:59',
      '2026-03-06T21:00',
      '2026-03-07T05:59',
      '2026-03-07T06:00',
      '2026-03-06T05:00',
    ].map((time) => isSchoolTime([friday], NOT_PAUSED, 'UTC', Date.parse(`${time}:00Z`)));
    expect(active).toEqual([false, true, true, false, false]);
  });

  test('returns false from midnight to midnight of the paused day, also for ranges that cross midnight', () => {
    const night = range({ start: '21:00', end: '06:00' });
    const active = ['2026-03-05T23:59', '2026-03-06T00:00', '2026-03-06T21:30', '2026-03-07T00:00'].map((time) =>
      isSchoolTime([night], { pausedOn: '2026-03-06' }, 'UTC', Date.parse(`${time}:00Z`)),
    );
    expect(active).toEqual([true, false, false, true]);
  });

  test('returns false in a disabled range', () => {
    const time = Date.parse('2026-03-06T10:00:00Z');
    expect(isSchoolTime([range({ enabled: false })], NOT_PAUSED, 'UTC', time)).toBe(false);
  });
});

test('schoolRangeAt returns the range that is active at the given time', () => {
  const time = Date.parse('2026-03-06T10:00:00Z');
  const two = range({ schoolTimeId: 'two', start: '12:00', end: '14:00' });
  expect(schoolRangeAt([two, range()], NOT_PAUSED, 'UTC', time)?.schoolTimeId).toBe('one');
});
