import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideBatteryAlert } from './battery-level.js';

/** Levels that are told of a series of reports. */
function toldOf(reports: readonly (readonly [battery: number, charging: boolean])[]): number[] {
  let told: number | null = null;
  return reports.flatMap(([battery, charging]) => {
    const next = decideBatteryAlert(told, battery, charging);
    told = next.told;
    return next.tells ? [next.told as number] : [];
  });
}

const drained = (...values: number[]) => values.map((battery) => [battery, false] as const);

describe('the battery of a watch', () => {
  test.each<[string, readonly (readonly [number, boolean])[], number[]]>([
    ['each level once on the way down', drained(80, 21, 20, 19, 15, 11, 10, 9, 1), [20, 10]],
    ['only the lower one when it falls past both', drained(60, 7, 6), [10]],
    ['nothing again while it wavers', drained(21, 20, 21, 20, 24, 20, 10, 12, 10, 14, 9), [20, 10]],
    ['the level again after it was left', drained(20, 25, 20, 10, 15, 10), [20, 20, 10, 10]],
    ['the first report if it is low', drained(15), [20]],
    [
      'nothing while it is charged, and what is true afterwards',
      [
        [8, true],
        [12, true],
        [12, false],
      ],
      [20],
    ],
  ])('tells %s', (_, reports, levels) => {
    expect(toldOf(reports)).toEqual(levels);
  });

  test('never tells a level twice without having left it, and always tells one that is reached', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), fc.boolean())), (reports) => {
        let told: number | null = null;
        for (const [battery, charging] of reports) {
          const before: number | null = told;
          const { told: now, tells } = decideBatteryAlert(before, battery, charging);
          if (tells) {
            expect(battery).toBeLessThanOrEqual(now as number);
            expect(before === null || (now as number) < before || battery >= before + 5).toBe(true);
          }
          if (!charging && battery <= 20) expect(now).not.toBeNull();
          if (!charging && battery <= 10) expect(now).toBe(10);
          if (battery >= 25) expect(now).toBeNull();
          told = now;
        }
      }),
    );
  });
});
