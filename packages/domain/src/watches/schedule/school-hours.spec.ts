import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ZONES, clockTimes, momentsNear, range } from '../../../test/support/schedules.js';
import type { SchoolRange } from '../contracts/school-time.js';
import { schoolHoursAt } from './school-hours.js';

const MINUTE_MS = 60_000;
const ranges = fc
  .record({ start: clockTimes, end: clockTimes, weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 })) })
  .filter(({ start, end }) => start !== end)
  .map(range);

const moments = momentsNear(
  ...['2026-03-08', '2026-03-29', '2026-04-05', '2026-09-06', '2026-10-25', '2026-11-01', '2026-07-01'],
);

describe('schoolHoursAt', () => {
  test('returns a range that stays the same until the returned time, also near clock changes', () => {
    const pauses = fc.constantFrom(null, '2026-03-29', '2026-11-01', '2026-07-01');
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moments, ranges, pauses, (timeZone, time, one, pausedOn) => {
        const hoursAt = (moment: number) => schoolHoursAt([one], { pausedOn }, timeZone, moment);
        const { range: active, until } = hoursAt(time);
        expect(until).toBeGreaterThan(time);
        for (let moment = time; moment < until; moment += 15 * MINUTE_MS) expect(hoursAt(moment).range).toBe(active);
        expect(hoursAt(until - 1)).toEqual({ range: active, until });
        // `until` is the end of an active range. At `until` no range is active unless the next range is adjacent.
        if (active && pausedOn === null) expect(hoursAt(until).range).toBeUndefined();
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  test.each([
    ['within a range', '2026-03-06T10:00Z', 'one', '2026-03-06T12:00Z'],
    ['before a range', '2026-03-06T06:00Z', undefined, '2026-03-06T08:00Z'],
    ['after the last range of the day', '2026-03-06T12:00Z', undefined, '2026-03-07T00:00Z'],
  ])('returns the active range and the end of its validity for a time %s', (_, time, schoolTimeId, until) => {
    const hours = schoolHoursAt([range()], { pausedOn: null }, 'UTC', Date.parse(time));
    expect([hours.range?.schoolTimeId, hours.until]).toEqual([schoolTimeId, Date.parse(until)]);
  });

  test('returns the end of the next occurrence when a clock change skips the time between two occurrences', () => {
    // In Havana the hour from 00:00 to 01:00 is skipped on 2026-03-08, at 05:00Z.
    const overnight = range({ start: '00:30', end: '00:00', weekdays: [6, 7] });
    const until = (pausedOn: string | null) =>
      schoolHoursAt([overnight], { pausedOn }, 'America/Havana', Date.parse('2026-03-08T00:00Z')).until;
    expect(until(null)).toBe(Date.parse('2026-03-09T04:00Z'));
    expect(until('2026-03-08')).toBe(Date.parse('2026-03-08T05:00Z'));
  });

  describe('when an occurrence starts in a repeated hour before the previous occurrence has ended', () => {
    // In Berlin 02:00 to 03:00 is repeated on 2026-10-25, from 00:00Z to 02:00Z.
    const hoursAt = (ranges: SchoolRange[], time: string) =>
      schoolHoursAt(ranges, { pausedOn: null }, 'Europe/Berlin', Date.parse(time));

    test.each(['2026-10-25T00:00Z', '2026-10-25T00:50Z', '2026-10-25T01:30Z'])(
      'returns the end of the next occurrence of the same range at %s',
      (time) => {
        const { range: active, until } = hoursAt([range({ start: '02:45', end: '02:00', weekdays: [6, 7] })], time);
        expect([active?.schoolTimeId, until]).toEqual(['one', Date.parse('2026-10-26T01:00Z')]);
      },
    );

    test('returns the range of the previous occurrence until its end, in either order of the two ranges', () => {
      const night = range({ schoolTimeId: 'night', start: '21:00', end: '02:00', weekdays: [6] });
      const morning = range({ schoolTimeId: 'morning', start: '02:45', end: '08:00', weekdays: [7] });
      for (const ranges of [
        [night, morning],
        [morning, night],
      ]) {
        const results = ['00:00', '00:50', '01:00'].map((time) => hoursAt(ranges, `2026-10-25T${time}Z`));
        expect(results.map(({ range: active, until }) => [active?.schoolTimeId, until])).toEqual([
          ['night', Date.parse('2026-10-25T01:00Z')],
          ['night', Date.parse('2026-10-25T01:00Z')],
          ['morning', Date.parse('2026-10-25T07:00Z')],
        ]);
      }
    });
  });

  test('ends a range across midnight at midnight if the next day is paused', () => {
    const night = range({ start: '21:00', end: '06:00' });
    const evening = Date.parse('2026-03-05T22:00Z');
    expect(schoolHoursAt([night], { pausedOn: '2026-03-06' }, 'UTC', evening).until).toBe(
      Date.parse('2026-03-06T00:00Z'),
    );
    expect(schoolHoursAt([night], { pausedOn: null }, 'UTC', evening).until).toBe(Date.parse('2026-03-06T06:00Z'));
  });
});
