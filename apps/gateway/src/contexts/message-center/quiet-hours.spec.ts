import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isQuiet } from './quiet-hours.js';

const at = (text: string) => Date.parse(text);
const DAY = 1_440;

describe('quiet hours', () => {
  const night = { from: 22 * 60, to: 7 * 60, timeZone: 'Asia/Shanghai' };
  test.each([
    ['2026-03-02T21:59:59+08:00', false],
    ['2026-03-02T22:00:00+08:00', true],
    ['2026-03-03T00:00:00+08:00', true],
    ['2026-03-03T06:59:59+08:00', true],
    ['2026-03-03T07:00:00+08:00', false],
    ['2026-03-03T12:00:00+08:00', false],
  ])('across midnight, at %s: %s', (time, quiet) => {
    expect(isQuiet(night, at(time))).toBe(quiet);
  });

  test.each([
    // Monday 2026-03-02. The night from Friday to Saturday is Friday's.
    ['2026-03-06T23:00:00+08:00', true],
    ['2026-03-07T03:00:00+08:00', true],
    ['2026-03-07T23:00:00+08:00', false],
    ['2026-03-09T03:00:00+08:00', false],
    ['2026-03-02T03:00:00+08:00', false],
  ])('on weekdays only, at %s: %s', (time, quiet) => {
    expect(isQuiet({ ...night, weekdays: [1, 2, 3, 4, 5] }, at(time))).toBe(quiet);
  });

  test('Sunday’s night reaches into Monday', () => {
    const sunday = { ...night, weekdays: [7] };
    expect(isQuiet(sunday, at('2026-03-08T23:00:00+08:00'))).toBe(true);
    expect(isQuiet(sunday, at('2026-03-09T05:00:00+08:00'))).toBe(true);
    expect(isQuiet(sunday, at('2026-03-09T23:00:00+08:00'))).toBe(false);
  });

  describe('in Berlin, where the clock is changed on 2026-03-29 and 2026-10-25', () => {
    const berlin = { from: 2 * 60 + 15, to: 2 * 60 + 45, timeZone: 'Europe/Berlin' };
    test('the hour that spring skips is quiet for nobody', () => {
      for (let minute = 0; minute < 180; minute += 1) {
        expect(isQuiet(berlin, at('2026-03-29T00:00:00Z') + minute * 60_000)).toBe(false);
      }
    });

    test('the hour that autumn repeats is quiet twice', () => {
      const quiet = Array.from({ length: 180 }, (_, minute) => minute).filter((minute) =>
        isQuiet(berlin, at('2026-10-25T00:00:00Z') + minute * 60_000),
      );
      expect(quiet).toHaveLength(60);
    });

    test('the morning comes at the same hour of the wall clock', () => {
      const sleep = { from: 23 * 60, to: 6 * 60, timeZone: 'Europe/Berlin' };
      expect(isQuiet(sleep, at('2026-03-29T03:59:00Z'))).toBe(true);
      expect(isQuiet(sleep, at('2026-03-29T04:00:00Z'))).toBe(false);
      expect(isQuiet(sleep, at('2026-03-28T04:59:00Z'))).toBe(true);
      expect(isQuiet(sleep, at('2026-03-28T05:00:00Z'))).toBe(false);
    });
  });

  test('where no clock is changed, a range and its opposite share the day between them', () => {
    const minuteOfDay = fc.nat(DAY - 1);
    fc.assert(
      fc.property(
        minuteOfDay,
        minuteOfDay,
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        (from, to, time) => {
          fc.pre(from !== to);
          const one = isQuiet({ from, to, timeZone: 'Asia/Kolkata' }, time.getTime());
          const other = isQuiet({ from: to, to: from, timeZone: 'Asia/Kolkata' }, time.getTime());
          expect(one).toBe(!other);
        },
      ),
    );
  });

  test('in every zone, a quiet time is one whose wall clock lies in the range', () => {
    const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC');
    const time = fc.integer({ min: 1_600_000_000_000, max: 2_000_000_000_000 });
    fc.assert(
      fc.property(fc.nat(DAY - 1), fc.nat(DAY - 1), zones, time, (from, to, timeZone, now) => {
        fc.pre(from !== to);
        const text = new Date(now).toLocaleTimeString('sv-SE', { timeZone });
        const minute = Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
        const inside = from < to ? minute >= from && minute < to : minute >= from || minute < to;
        expect(isQuiet({ from, to, timeZone }, now)).toBe(inside);
      }),
    );
  });
});
