import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { localDateIn } from '@family-watch/domain/kernel/contracts/local-date';
import { stepsBetween, stepsByDay, type CounterReading } from './step-count.js';

const HOUR_MS = 3_600_000;
const MAX_INT32 = 2_147_483_647;

const BINDING = { boundAt: 15, wasBoundToOtherChild: false };
const SECOND_BINDING = { boundAt: 15, wasBoundToOtherChild: true };

describe('stepsBetween', () => {
  test('returns the difference to the previous reading', () => {
    expect(stepsBetween({ total: 100, time: 15 }, { total: 350, time: 20 }, SECOND_BINDING)).toBe(250);
  });

  test('counts from zero after the counter was reset', () => {
    expect(stepsBetween({ total: 5_000, time: 15 }, { total: 40, time: 20 }, BINDING)).toBe(40);
  });

  test('counts the first reading of a watch as a whole, because the counter of a new watch is zero', () => {
    expect(stepsBetween(null, { total: 100, time: 20 }, BINDING)).toBe(100);
  });

  test('rejects a first reading that a child cannot have walked in a day', () => {
    expect(stepsBetween(null, { total: 50_000, time: 20 }, BINDING)).toBe(50_000);
    expect(stepsBetween(null, { total: 50_001, time: 20 }, BINDING)).toBeNull();
  });

  test.each([
    ['at once, as a watch reports that counts in batches', 0, 12_000],
    ['in an hour', HOUR_MS, 24_000],
    ['in a night', 10 * HOUR_MS, 50_000],
    ['in a week', 7 * 24 * HOUR_MS, 350_000],
  ])('rejects more steps than a child can walk %s', (_, elapsed, plausible) => {
    const previous = { total: 1_000, time: 20 };
    const time = previous.time + Math.max(elapsed, 1);
    const steps = (total: number) => stepsBetween(previous, { total, time }, BINDING);
    expect([steps(1_000 + plausible), steps(1_010 + plausible), steps(MAX_INT32)]).toEqual([plausible, null, null]);
  });

  test('rejects a counter that restarted at a value that a child cannot have walked since', () => {
    const previous = { total: MAX_INT32, time: 20 };
    expect(stepsBetween(previous, { total: 12_010, time: 30 }, BINDING)).toBeNull();
  });

  test('counts the difference to a reading before the first binding of the watch', () => {
    expect(stepsBetween({ total: 100, time: 10 }, { total: 350, time: 20 }, BINDING)).toBe(250);
  });

  test('counts nothing that another child may have walked', () => {
    expect(stepsBetween(null, { total: 350, time: 20 }, SECOND_BINDING)).toBe(0);
    expect(stepsBetween({ total: 100, time: 10 }, { total: 350, time: 20 }, SECOND_BINDING)).toBe(0);
  });

  test('counts nothing after a reading that was erased with the data of an earlier child', () => {
    expect(stepsBetween({ total: null, time: 10 }, { total: 350, time: 20 }, BINDING)).toBe(0);
  });

  test.each([20, 30])('counts nothing if the previous reading has the time %d and is not older', (time) => {
    expect(stepsBetween({ total: 100, time }, { total: 350, time: 20 }, BINDING)).toBe(0);
  });
});

/**
 * A walk as counter readings, one per minute. A reset is only visible if the counter falls below its previous value.
 */
const walks = fc
  .tuple(fc.nat(50_000), fc.array(fc.record({ steps: fc.nat(10_000), reset: fc.boolean() }), { maxLength: 40 }))
  .map(([start, minutes]) => {
    const readings: CounterReading[] = [{ total: start, time: 60_000 }];
    for (const { steps, reset } of minutes) {
      const { total, time } = readings.at(-1) as CounterReading;
      readings.push({ total: reset && steps < total ? steps : total + steps, time: time + 60_000 });
    }
    return { readings, walked: minutes.reduce((sum, { steps }) => sum + steps, start) };
  });

/** Sums the steps of readings as they arrive. Only a newer reading replaces the previous one. */
function sumSteps(arrivals: readonly CounterReading[]): number {
  let [newest, sum] = [null as CounterReading | null, 0];
  for (const reading of arrivals) {
    sum += stepsBetween(newest, reading, BINDING) ?? 0;
    if (!newest || reading.time > newest.time) newest = reading;
  }
  return sum;
}

describe('stepsBetween for any sequence of readings', () => {
  test('counts every step despite resets and repeated readings', () => {
    fc.assert(
      fc.property(walks, ({ readings, walked }) => {
        expect(sumSteps(readings.flatMap((reading) => [reading, reading]))).toBe(walked);
      }),
    );
  });

  test('never counts more steps than were walked, in any order of arrival', () => {
    const shuffled = walks.chain(({ readings, walked }) =>
      fc.shuffledSubarray([...readings, ...readings]).map((arrivals) => ({ arrivals, walked })),
    );
    fc.assert(
      fc.property(shuffled, ({ arrivals, walked }) => {
        expect(sumSteps(arrivals)).toBeLessThanOrEqual(walked);
      }),
    );
  });

  test('counts all steps for any order of the readings after the first, if the counter is not reset', () => {
    const steady = fc
      .tuple(fc.nat(50_000), fc.array(fc.nat(2_000), { minLength: 1, maxLength: 30 }))
      .chain(([start, steps]) => {
        let total = start;
        const later = steps.map((step, index) => ({ total: (total += step), time: (index + 1) * HOUR_MS }));
        return fc
          .shuffledSubarray(later, { minLength: later.length })
          .map((arrivals) => ({ arrivals: [{ total: start, time: 1 }, ...arrivals], walked: total }));
      });
    fc.assert(fc.property(steady, ({ arrivals, walked }) => expect(sumSteps(arrivals)).toBe(walked)));
  });
});

describe('stepsByDay', () => {
  const at = (text: string) => Date.parse(text);

  test.each([
    ['made within one day', '03-10 08:00', '03-10 09:00', 'UTC', { '03-10': 100 }],
    ['evenly across midnight', '03-10 23:45', '03-11 00:15', 'UTC', { '03-10': 50, '03-11': 50 }],
    ['made until midnight to the day that ends', '03-10 23:00', '03-11 00:00', 'UTC', { '03-10': 100 }],
    ['made from midnight on to the day that begins', '03-11 00:00', '03-11 00:10', 'UTC', { '03-11': 100 }],
    ['across midnight in Shanghai', '03-10 15:30', '03-10 17:30', 'Asia/Shanghai', { '03-10': 25, '03-11': 75 }],
    // In Berlin the tested day of 23 hours begins at 00:00, and the clock skips the hour from 02:00.
    ['across a change to summer time', '03-28 22:00', '03-29 02:00', 'Europe/Berlin', { '03-28': 25, '03-29': 75 }],
    // In Cairo the tested day begins at 01:00.
    ['across a skipped midnight', '04-23 21:00', '04-23 23:00', 'Africa/Cairo', { '04-23': 50, '04-24': 50 }],
    ['over the last 24 hours after days', '03-01 00:00', '03-11 12:00', 'UTC', { '03-10': 50, '03-11': 50 }],
  ])('distributes steps in proportion to time over days: %s', (_, from, to, timeZone, days) => {
    const [start = 0, end = 0] = [from, to].map((time) => at(`2026-${time.replace(' ', 'T')}Z`));
    const spread = stepsByDay(100, start, end, timeZone);
    expect(Object.fromEntries(spread.map(({ day, steps }) => [day.slice('2026-'.length), steps]))).toEqual(days);
  });

  test('counts the steps of a reading at the time of the binding', () => {
    const time = at('2026-03-10T08:00:00Z');
    expect(stepsByDay(7, time, time, 'UTC')).toEqual([{ day: '2026-03-10', steps: 7 }]);
  });

  test('neither loses nor duplicates steps, in any time zone and over any span of time', () => {
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

/** What happens between two readings: a pause, steps, a reset of the counter, a journey to another time zone. */
const journeys = fc.array(
  fc.record({
    pauseMs: fc.integer({ min: 1, max: 40 * HOUR_MS }),
    steps: fc.nat(12_000),
    restarts: fc.boolean(),
    isRepeated: fc.boolean(),
    timeZone: fc.constantFrom('UTC', 'Asia/Shanghai', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Europe/Berlin'),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('the steps of a child by day', () => {
  test('contain every step once, on a day that the time between the readings touches', () => {
    fc.assert(
      fc.property(journeys, (parts) => {
        const boundAt = Date.parse('2026-03-28T20:00:00Z');
        const binding = { boundAt, wasBoundToOtherChild: false };
        const days = new Map<string, number>();
        let [previous, total, time, walked] = [null as CounterReading | null, 0, boundAt, 0];
        for (const { pauseMs, steps, restarts, isRepeated, timeZone } of parts) {
          const from = time;
          time += pauseMs;
          // A restart is visible only if the counter falls below its last value.
          total = restarts && steps < total ? steps : total + steps;
          walked += steps;
          const reading = { total, time };
          const counted = stepsByDay(stepsBetween(previous, reading, binding) ?? 0, from, time, timeZone);
          for (const { day, steps: stepsOfDay } of counted) {
            expect(day >= localDateIn(timeZone, from) && day <= localDateIn(timeZone, time)).toBe(true);
            days.set(day, (days.get(day) ?? 0) + stepsOfDay);
          }
          previous = reading;
          if (isRepeated) expect(stepsBetween(previous, reading, binding)).toBe(0);
        }
        expect([...days.values()].reduce((sum, steps) => sum + steps, 0)).toBe(walked);
      }),
    );
  });
});
