import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  POINT_TYPE,
  isCredible,
  POINT_FLAG,
  type Location,
  type PointFlag,
} from '@family-watch/domain/locations/contracts/location';
import { greatCircleDistance } from './geodesy.js';
import {
  CLOCK_TOLERANCE_MS,
  assessFlags,
  GOOD_POINT_PREFERENCE_MS,
  LATE_AFTER_MS,
  POOR_ACCURACY_RADIUS_METRES,
  supersedes,
} from './point-assessment.js';
import { fromBits, toBits } from './stored-point.js';

const NOW = 1_790_000_000_000;
const SHANGHAI: Location = {
  latitude: '31.2304',
  longitude: '121.4737',
  positionTime: NOW,
  radius: 10,
  pointType: POINT_TYPE.GPS,
};
const BEIJING = { ...SHANGHAI, latitude: '39.9042', longitude: '116.4074' };

const anyFlags = fc.subarray(Object.values(POINT_FLAG));

describe('greatCircleDistance', () => {
  test('returns about 1,067 km from Shanghai to Beijing', () => {
    expect(greatCircleDistance(SHANGHAI, BEIJING) / 1_000).toBeCloseTo(1_067, -1);
  });

  test('returns half the circumference for opposite points of the earth', () => {
    const opposite = greatCircleDistance({ latitude: '-58', longitude: '-180' }, { latitude: '58', longitude: '0' });
    expect(opposite).toBeCloseTo(20_015_115, -1);
  });

  test('is symmetric, zero for equal points and at most half the circumference', () => {
    const point = fc.record({
      latitude: fc.integer({ min: -90, max: 90 }).map(String),
      longitude: fc.integer({ min: -180, max: 180 }).map(String),
    });
    fc.assert(
      fc.property(point, point, (a, b) => {
        expect(greatCircleDistance(a, a)).toBe(0);
        expect(greatCircleDistance(a, b)).toBeCloseTo(greatCircleDistance(b, a), 3);
        expect(greatCircleDistance(a, b)).toBeLessThanOrEqual(20_015_116);
      }),
    );
  });
});

describe('assessFlags', () => {
  test('returns no flags for a plausible current point', () => {
    expect(assessFlags(SHANGHAI, null, NOW)).toEqual([]);
  });

  test.each<[PointFlag, number]>([
    ['FUTURE', NOW - CLOCK_TOLERANCE_MS - 1],
    ['LATE', NOW + LATE_AFTER_MS + 1],
  ])('sets the flag %s only beyond its time limit', (flag, receivedAt) => {
    expect(assessFlags(SHANGHAI, null, receivedAt)).toEqual([flag]);
    expect(assessFlags(SHANGHAI, null, receivedAt + (flag === 'FUTURE' ? 1 : -1))).toEqual([]);
  });

  test('sets POOR_ACCURACY for a radius above the limit', () => {
    expect(assessFlags({ ...SHANGHAI, radius: POOR_ACCURACY_RADIUS_METRES }, null, NOW)).toEqual([]);
    expect(assessFlags({ ...SHANGHAI, radius: POOR_ACCURACY_RADIUS_METRES + 1 }, null, NOW)).toEqual(['POOR_ACCURACY']);
  });

  test('sets IMPOSSIBLE_SPEED for Beijing ten minutes after Shanghai, but not two hours after', () => {
    expect(assessFlags(BEIJING, { ...SHANGHAI, positionTime: NOW - 600_000 }, NOW)).toEqual(['IMPOSSIBLE_SPEED']);
    expect(assessFlags(BEIJING, { ...SHANGHAI, positionTime: NOW - 7_200_000 }, NOW)).toEqual([]);
  });

  test('sets IMPOSSIBLE_SPEED for two places at the same time unless the accuracy circles touch', () => {
    const near = { ...SHANGHAI, latitude: '31.2314', pointType: POINT_TYPE.WIFI };
    expect(assessFlags(near, SHANGHAI, NOW)).toEqual(['IMPOSSIBLE_SPEED']);
    expect(assessFlags({ ...near, radius: 200 }, SHANGHAI, NOW)).toEqual([]);
  });

  test('deducts the radius of an earlier inaccurate point from the distance of an accurate point', () => {
    const before = { ...SHANGHAI, positionTime: NOW - 60_000, pointType: POINT_TYPE.CELL, radius: 4_000 };
    const north = (metres: number) => ({ ...SHANGHAI, latitude: (31.2304 + metres / 111_195).toFixed(7) });
    // In a minute, 320 m/s are 19.2 km, beyond both radii.
    expect(assessFlags(north(23_000), before, NOW)).toEqual([]);
    expect(assessFlags(north(23_500), before, NOW)).toEqual(['IMPOSSIBLE_SPEED']);
  });

  test('sets NO_FIX near 0/0 unless the point before is near too, and always at exactly 0/0', () => {
    const near = { ...SHANGHAI, latitude: '0.01', longitude: '0.01' };
    const zero = { ...SHANGHAI, latitude: '0', longitude: '-0.0' };
    expect(assessFlags(near, null, NOW)).toEqual(['NO_FIX']);
    expect(assessFlags({ ...near, latitude: '0.1' }, null, NOW)).toEqual([]);
    expect(assessFlags(near, { ...near, positionTime: NOW - 60_000 }, NOW)).toEqual([]);
    expect(assessFlags(zero, { ...near, positionTime: NOW - 60_000 }, NOW)).toEqual(['NO_FIX']);
  });

  test('sets no flags for the points of a walk', () => {
    const step = fc.record({ north: fc.integer({ min: -9, max: 9 }), seconds: fc.integer({ min: 10, max: 600 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        let before = SHANGHAI;
        for (const { north, seconds } of steps) {
          // 0.0001 degrees of latitude are 11 metres.
          const latitude = (Number(before.latitude) + north / 10_000).toFixed(4);
          const point = { ...before, latitude, positionTime: before.positionTime + seconds * 1_000 };
          expect(assessFlags(point, before, point.positionTime)).toEqual([]);
          before = point;
        }
      }),
    );
  });
});

describe('supersedes', () => {
  const at = (positionTime: number, flags: PointFlag[] = []) => ({ point: { ...SHANGHAI, positionTime }, flags });

  test('accepts the first point of a child only if it is credible', () => {
    expect(supersedes(at(NOW, ['LATE']), null)).toBe(true);
    expect(supersedes(at(NOW, ['FUTURE']), null)).toBe(false);
  });

  test('lets a point of poor accuracy replace an accurate one only after 30 minutes', () => {
    expect(supersedes(at(NOW + GOOD_POINT_PREFERENCE_MS - 1, ['POOR_ACCURACY']), at(NOW))).toBe(false);
    expect(supersedes(at(NOW + GOOD_POINT_PREFERENCE_MS, ['POOR_ACCURACY']), at(NOW))).toBe(true);
    expect(supersedes(at(NOW + 1, ['POOR_ACCURACY']), at(NOW, ['POOR_ACCURACY']))).toBe(true);
    expect(supersedes(at(NOW + 1), at(NOW, ['POOR_ACCURACY']))).toBe(true);
  });

  test('never replaces a point with an older one and never accepts a point that is not credible', () => {
    const assessed = fc
      .tuple(fc.nat(10 * GOOD_POINT_PREFERENCE_MS), anyFlags)
      .map(([time, flags]) => at(NOW + time, flags));
    fc.assert(
      fc.property(fc.array(assessed), (points) => {
        let last: ReturnType<typeof at> | null = null;
        for (const point of points) {
          if (!supersedes(point, last)) continue;
          expect(isCredible(point.flags)).toBe(true);
          if (last) expect(point.point.positionTime).toBeGreaterThan(last.point.positionTime);
          last = point;
        }
      }),
    );
  });

  test('keeps the newest of several accurate points as the last location, whatever their order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(1_000_000), { minLength: 1 }), (times) => {
        const last = times
          .map((time) => at(NOW + time))
          .reduce((best, point) => (supersedes(point, best) ? point : best));
        expect(last.point.positionTime).toBe(NOW + Math.max(...times));
      }),
    );
  });
});

describe('toBits and fromBits', () => {
  test('fromBits returns every set of flags that toBits was called with', () => {
    fc.assert(fc.property(anyFlags, (flags) => expect(fromBits(toBits(flags))).toEqual(flags)));
  });
});
