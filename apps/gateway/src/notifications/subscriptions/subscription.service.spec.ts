import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isQuiet } from './subscription.service.js';

const timestampOf = (text: string) => Date.parse(text);
const MINUTES_PER_DAY = 1_440;

describe('isQuiet', () => {
  const night = { from: 22 * 60, to: 7 * 60, timeZone: 'Asia/Shanghai' };
  test.each([
    ['2026-03-02T21:59:59+08:00', false],
    ['2026-03-02T22:00:00+08:00', true],
    ['2026-03-03T00:00:00+08:00', true],
    ['2026-03-03T06:59:59+08:00', true],
    ['2026-03-03T07:00:00+08:00', false],
    ['2026-03-03T12:00:00+08:00', false],
  ])('with quiet hours from evening to morning, at %s returns %s', (time, quiet) => {
    expect(isQuiet(night, timestampOf(time))).toBe(quiet);
  });

  test.each([
    // 2026-03-02 is a Monday. Quiet hours in the night from Friday to Saturday belong to Friday.
    ['2026-03-06T23:00:00+08:00', true],
    ['2026-03-07T03:00:00+08:00', true],
    ['2026-03-07T23:00:00+08:00', false],
    ['2026-03-09T03:00:00+08:00', false],
    ['2026-03-02T03:00:00+08:00', false],
  ])('with quiet hours from Monday to Friday only, at %s returns %s', (time, quiet) => {
    expect(isQuiet({ ...night, weekdays: [1, 2, 3, 4, 5] }, timestampOf(time))).toBe(quiet);
  });

  test('returns true until Monday morning for quiet hours that start on Sunday evening', () => {
    const sunday = { ...night, weekdays: [7] };
    expect(isQuiet(sunday, timestampOf('2026-03-08T23:00:00+08:00'))).toBe(true);
    expect(isQuiet(sunday, timestampOf('2026-03-09T05:00:00+08:00'))).toBe(true);
    expect(isQuiet(sunday, timestampOf('2026-03-09T23:00:00+08:00'))).toBe(false);
  });

  describe('in Berlin, where the clocks change on 2026-03-29 and 2026-10-25', () => {
    const berlin = { from: 2 * 60 + 15, to: 2 * 60 + 45, timeZone: 'Europe/Berlin' };
    test('returns false all night for quiet hours within the hour that is skipped in spring', () => {
      for (let minute = 0; minute < 180; minute += 1) {
        expect(isQuiet(berlin, timestampOf('2026-03-29T00:00:00Z') + minute * 60_000)).toBe(false);
      }
    });

    test('returns true in both passes of the hour that is repeated in autumn', () => {
      const quiet = Array.from({ length: 180 }, (_, minute) => minute).filter((minute) =>
        isQuiet(berlin, timestampOf('2026-10-25T00:00:00Z') + minute * 60_000),
      );
      expect(quiet).toHaveLength(60);
    });

    test('ends quiet hours at the same local time before and after the clocks change', () => {
      const sleep = { from: 23 * 60, to: 6 * 60, timeZone: 'Europe/Berlin' };
      expect(isQuiet(sleep, timestampOf('2026-03-29T03:59:00Z'))).toBe(true);
      expect(isQuiet(sleep, timestampOf('2026-03-29T04:00:00Z'))).toBe(false);
      expect(isQuiet(sleep, timestampOf('2026-03-28T04:59:00Z'))).toBe(true);
      expect(isQuiet(sleep, timestampOf('2026-03-28T05:00:00Z'))).toBe(false);
    });
  });

  test('returns the opposite for the complementary range of hours in a time zone without clock changes', () => {
    const minuteOfDay = fc.nat(MINUTES_PER_DAY - 1);
    fc.assert(
      fc.property(
        minuteOfDay,
        minuteOfDay,
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        (from, to, time) => {
          fc.pre(from !== to);
          const isQuietInRange = isQuiet({ from, to, timeZone: 'Asia/Kolkata' }, time.getTime());
          const isQuietInComplement = isQuiet({ from: to, to: from, timeZone: 'Asia/Kolkata' }, time.getTime());
          expect(isQuietInRange).toBe(!isQuietInComplement);
        },
      ),
    );
  });

  test('returns true exactly when the local time is in the range, in every time zone', () => {
    const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC');
    const time = fc.integer({ min: 1_600_000_000_000, max: 2_000_000_000_000 });
    fc.assert(
      fc.property(fc.nat(MINUTES_PER_DAY - 1), fc.nat(MINUTES_PER_DAY - 1), zones, time, (from, to, timeZone, now) => {
        fc.pre(from !== to);
        const text = new Date(now).toLocaleTimeString('sv-SE', { timeZone });
        const minute = Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
        const inside = from < to ? minute >= from && minute < to : minute >= from || minute < to;
        expect(isQuiet({ from, to, timeZone }, now)).toBe(inside);
      }),
    );
  });
});
