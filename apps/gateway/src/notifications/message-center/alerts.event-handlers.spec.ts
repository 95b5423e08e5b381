import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideBatteryAlert } from './alerts.event-handlers.js';

/** Returns the levels at which a series of reports raises alerts. */
function alertLevelsOf(reports: readonly (readonly [battery: number, charging: boolean])[]): number[] {
  let level: number | null = null;
  return reports.flatMap(([battery, charging]) => {
    const { alertedLevel, shouldAlert } = decideBatteryAlert(level, battery, charging);
    level = alertedLevel;
    return shouldAlert ? [alertedLevel as number] : [];
  });
}

const dischargingReports = (...values: number[]) => values.map((battery) => [battery, false] as const);

describe('decideBatteryAlert', () => {
  test.each<[string, readonly (readonly [number, boolean])[], number[]]>([
    ['once per level while the battery drains', dischargingReports(80, 21, 20, 19, 15, 11, 10, 9, 1), [20, 10]],
    ['only for the lower level when the battery falls past both', dischargingReports(60, 7, 6), [10]],
    [
      'once per level while the battery fluctuates',
      dischargingReports(21, 20, 21, 20, 24, 20, 10, 12, 10, 14, 9),
      [20, 10],
    ],
    ['again after the battery has risen above the level', dischargingReports(20, 25, 20, 10, 15, 10), [20, 20, 10, 10]],
    ['on the first report when it is low', dischargingReports(15), [20]],
    [
      'never while charging, and for the current level afterwards',
      [
        [8, true],
        [12, true],
        [12, false],
      ],
      [20],
    ],
  ])('raises an alert %s', (_, reports, levels) => {
    expect(alertLevelsOf(reports)).toEqual(levels);
  });

  test('alerts at every level that is reached, and again only after the battery has risen above the level', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), fc.boolean())), (reports) => {
        let level: number | null = null;
        for (const [battery, charging] of reports) {
          const previousLevel: number | null = level;
          const { alertedLevel, shouldAlert } = decideBatteryAlert(previousLevel, battery, charging);
          if (shouldAlert) {
            expect(battery).toBeLessThanOrEqual(alertedLevel as number);
            expect(
              previousLevel === null || (alertedLevel as number) < previousLevel || battery >= previousLevel + 5,
            ).toBe(true);
          }
          if (!charging && battery <= 20) expect(alertedLevel).not.toBeNull();
          if (!charging && battery <= 10) expect(alertedLevel).toBe(10);
          if (battery >= 25) expect(alertedLevel).toBeNull();
          level = alertedLevel;
        }
      }),
    );
  });
});
