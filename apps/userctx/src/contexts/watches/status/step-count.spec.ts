import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stepsBetween, stepsByDay } from './step-count.js';
import type { CounterReading } from './step-count.js';

const HOUR_MS = 3_600_000;

describe('stepsBetween', () => {
  it('returns the difference to the previous reading', () => {
    expect(stepsBetween({ total: 100, time: 10 }, { total: 350, time: 20 }, 0)).toBe(250);
  });

  it('counts from zero after the counter was reset', () => {
    expect(stepsBetween({ total: 5_000, time: 10 }, { total: 40, time: 20 }, 0)).toBe(40);
  });

  it('returns zero without an earlier reading in the current binding', () => {
    expect(stepsBetween(null, { total: 350, time: 20 }, 0)).toBe(0);
    expect(stepsBetween({ total: 100, time: 10 }, { total: 350, time: 20 }, 15)).toBe(0);
    expect(stepsBetween({ total: 100, time: 20 }, { total: 350, time: 20 }, 0)).toBe(0);
    expect(stepsBetween({ total: 100, time: 30 }, { total: 350, time: 20 }, 0)).toBe(0);
  });
});

/**
 * A walk as counter readings, one per minute. A reset is only visible if the counter falls below its previous value.
 */
const walks = fc
  .tuple(fc.nat(1_000_000), fc.array(fc.record({ steps: fc.nat(10_000), reset: fc.boolean() }), { maxLength: 40 }))
  .map(([start, minutes]) => {
    const readings: CounterReading[] = [{ total: start, time: 60_000 }];
    for (const { steps, reset } of minutes) {
      const { total, time } = readings.at(-1) as CounterReading;
      readings.push({ total: reset && steps < total ? steps : total + steps, time: time + 60_000 });
    }
    return { readings, walked: minutes.reduce((sum, { steps }) => sum + steps, 0), start };
  });

/** Sums the steps of readings as they arrive. Only a newer reading replaces the previous one. */
function sumSteps(arrivals: readonly CounterReading[]): number {
  let [newest, sum] = [null as CounterReading | null, 0];
  for (const reading of arrivals) {
    sum += stepsBetween(newest, reading, 0);
    if (!newest || reading.time > newest.time) newest = reading;
  }
  return sum;
}

describe('stepsBetween for any sequence of readings', () => {
  it('counts every step despite resets and repeated readings', () => {
    fc.assert(
      fc.property(walks, ({ readings, walked }) => {
        expect(sumSteps(readings.flatMap((reading) => [reading, reading]))).toBe(walked);
      }),
    );
  });

  it('never counts more steps than were walked, in any order of arrival', () => {
    const shuffled = walks.chain(({ readings, walked }) =>
      fc.shuffledSubarray([...readings, ...readings]).map((arrivals) => ({ arrivals, walked })),
    );
    fc.assert(
      fc.property(shuffled, ({ arrivals, walked }) => {
        expect(sumSteps(arrivals)).toBeLessThanOrEqual(walked);
      }),
    );
  });

  it('counts all steps for any order of the readings after the first, if the counter is not reset', () => {
    const steady = fc
      .tuple(fc.nat(1_000_000), fc.array(fc.nat(10_000), { minLength: 1, maxLength: 30 }))
      .chain(([start, steps]) => {
        let total = start;
        const later = steps.map((step, index) => ({ total: (total += step), time: index + 2 }));
        return fc
          .shuffledSubarray(later, { minLength: later.length })
          .map((arrivals) => ({ arrivals: [{ total: start, time: 1 }, ...arrivals], walked: total - start }));
      });
    fc.assert(fc.property(steady, ({ arrivals, walked }) => expect(sumSteps(arrivals)).toBe(walked)));
  });
});

describe('stepsByDay', () => {
  const at = (text: string) => Date.parse(text);

  it.each([
    ['made within one day', '2026-03-10T08:00:00Z', '2026-03-10T09:00:00Z', 'UTC', { '2026-03-10': 100 }],
    [
      'evenly across midnight',
      '2026-03-10T23:45:00Z',
      '2026-03-11T00:15:00Z',
      'UTC',
      { '2026-03-10': 50, '2026-03-11': 50 },
    ],
    [
      'made until midnight to the day that ends',
      '2026-03-10T23:00:00Z',
      '2026-03-11T00:00:00Z',
      'UTC',
      { '2026-03-10': 100 },
    ],
    [
      'made from midnight on to the day that begins',
      '2026-03-11T00:00:00Z',
      '2026-03-11T00:10:00Z',
      'UTC',
      { '2026-03-11': 100 },
    ],
    [
      'in proportion to time across midnight in Shanghai',
      '2026-03-10T15:30:00Z',
      '2026-03-10T17:30:00Z',
      'Asia/Shanghai',
      { '2026-03-10': 25, '2026-03-11': 75 },
    ],
    // In Berlin the tested day of 23 hours begins at 00:00, and the clock skips the hour from 02:00.
    [
      'in proportion to time across midnight and the change to summer time',
      '2026-03-28T22:00:00Z',
      '2026-03-29T02:00:00Z',
      'Europe/Berlin',
      { '2026-03-28': 25, '2026-03-29': 75 },
    ],
    // In Cairo the tested day begins at 01:00.
    [
      'evenly across a midnight that the clock skips',
      '2026-04-23T21:00:00Z',
      '2026-04-23T23:00:00Z',
      'Africa/Cairo',
      { '2026-04-23': 50, '2026-04-24': 50 },
    ],
    [
      'over the last 24 hours when the watch was off for days',
      '2026-03-01T00:00:00Z',
      '2026-03-11T12:00:00Z',
      'UTC',
      { '2026-03-10': 50, '2026-03-11': 50 },
    ],
  ])('distributes the steps between two times over days: %s', (_, from, to, timeZone, days) => {
    const spread = stepsByDay(100, at(from), at(to), timeZone);
    expect(Object.fromEntries(spread.map(({ day, steps }) => [day, steps]))).toEqual(days);
  });

  it('neither loses nor duplicates steps, in any time zone and over any span of time', () => {
    const zones = fc.constantFrom('UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia');
    const start = fc.integer({ min: at('2011-12-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 40 }),
        start,
        fc.integer({ min: 1, max: 80 * HOUR_MS }),
        zones,
        (...args) => {
          const [steps, from, span, timeZone] = args;
          const days = stepsByDay(steps, from, from + span, timeZone);
          expect(days.reduce((sum, day) => sum + day.steps, 0)).toBe(steps);
          expect(days.every(({ steps: stepsOfDay }) => stepsOfDay > 0)).toBe(true);
          expect(new Set(days.map(({ day }) => day)).size).toBe(days.length);
          expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).toSorted());
        },
      ),
    );
  });
});
