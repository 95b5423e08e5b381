import { describe, expect, test } from '@jest/globals';
import { destination } from '@turf/destination';
import { distance } from '@turf/distance';
import fc from 'fast-check';
import { POINT_FLAG, type PointFlag } from '@family-watch/domain/locations/contracts/location';
import {
  MAX_VISIT_ACCURACY_RADIUS,
  MAX_GAP_MS,
  VISIT_RADIUS_METRES,
  MIN_VISIT_MS,
  detectVisits,
  type TrackPoint,
} from './visits.js';

const MINUTE_MS = 60_000;
const START = 1_790_000_000_000;

type Coordinates = [longitude: number, latitude: number];

const translate = (from: Coordinates, metres: number, bearing: number): Coordinates =>
  destination(from, metres, bearing, { units: 'meters' }).geometry.coordinates as Coordinates;

function pointAt(time: number, [longitude, latitude]: Coordinates, radius = 15, flags: PointFlag[] = []): TrackPoint {
  const degrees = { latitude: latitude.toFixed(7), longitude: longitude.toFixed(7) };
  return { point: { ...degrees, positionTime: time, radius, pointType: 1 }, flags };
}

const HOME: Coordinates = [121.4737, 31.2304];
const SCHOOL = translate(HOME, 1_500, 40);

/** Returns one point per minute of a stay at `place`, including its beginning and its end. */
const pointsOfStay = (place: Coordinates, from: number, minutes: number) =>
  Array.from({ length: minutes + 1 }, (_, minute) => pointAt(from + minute * MINUTE_MS, place));

const centreOf = ({ latitude, longitude }: { latitude: string; longitude: string }): Coordinates => [
  Number(longitude),
  Number(latitude),
];
const distanceMetres = (a: Coordinates, b: Coordinates) => distance(a, b, { units: 'meters' });

const arbitraryCoordinates: fc.Arbitrary<Coordinates> = fc.tuple(
  fc.double({ min: -180, max: 180, noNaN: true }),
  latitudes(),
);
function latitudes() {
  return fc.double({ min: -85, max: 85, noNaN: true });
}

/** Tracks with movement, stays, jumps, flagged points and inaccurate points. */
const tracks = fc
  .tuple(
    arbitraryCoordinates,
    fc.array(
      fc.record({
        seconds: fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 20_000 })),
        step: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 150 }), fc.integer({ min: 0, max: 5_000 })),
        bearing: fc.integer({ min: -180, max: 180 }),
        radius: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 3_000 })),
        flags: fc.subarray(Object.values(POINT_FLAG), { maxLength: 1 }),
      }),
      { maxLength: 60 },
    ),
  )
  .map(([origin, steps]) => {
    let [time, place] = [START, origin];
    return steps.map(({ seconds, step, bearing, radius, flags }) => {
      [time, place] = [time + seconds * 1_000, translate(place, step, bearing)];
      return pointAt(time, place, radius, flags);
    });
  });

describe('detectVisits', () => {
  test('finds visits at home, at school and at home again, and none on the way between them', () => {
    const walkToSchool = Array.from({ length: 16 }, (_, minute) =>
      pointAt(START + (31 + minute) * MINUTE_MS, translate(HOME, minute * 94, 40)),
    );
    const visits = detectVisits([
      ...pointsOfStay(HOME, START, 30),
      ...walkToSchool,
      ...pointsOfStay(SCHOOL, START + 47 * MINUTE_MS, 240),
      ...pointsOfStay(HOME, START + 300 * MINUTE_MS, 60),
    ]);
    expect(
      visits.map((visit) => [distanceMetres(centreOf(visit), HOME) < 30, distanceMetres(centreOf(visit), SCHOOL) < 30]),
    ).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
    expect(visits.map(({ to, from }) => Math.round((to - from) / MINUTE_MS))).toEqual([32, 240, 60]);
  });

  test('ignores stays of less than ten minutes', () => {
    expect(detectVisits(pointsOfStay(HOME, START, 9))).toEqual([]);
    expect(detectVisits(pointsOfStay(HOME, START, 10))).toHaveLength(1);
  });

  test('returns one visit for stays at one place less than ten minutes apart, otherwise two visits', () => {
    const trackWithAbsence = (minutes: number) => [
      ...pointsOfStay(HOME, START, 20),
      ...pointsOfStay(SCHOOL, START + 21 * MINUTE_MS, minutes - 2),
      ...pointsOfStay(HOME, START + (20 + minutes) * MINUTE_MS, 20),
    ];
    const visits = detectVisits(trackWithAbsence(2));
    expect(visits.map(({ from, to }) => [from - START, to - START])).toEqual([[0, 42 * MINUTE_MS]]);
    expect(detectVisits(trackWithAbsence(9))).toHaveLength(1);
    expect(detectVisits(trackWithAbsence(10))).toHaveLength(2);
    // The absence of twelve minutes includes a visit of ten minutes at school.
    expect(detectVisits(trackWithAbsence(12))).toHaveLength(3);
  });

  test('ends a visit when no point is reported for longer than MAX_GAP_MS', () => {
    const [before, after] = [pointsOfStay(HOME, START, 20), START + 20 * MINUTE_MS + MAX_GAP_MS];
    expect(detectVisits([...before, ...pointsOfStay(HOME, after, 20)])).toHaveLength(1);
    expect(detectVisits([...before, ...pointsOfStay(HOME, after + 1, 20)])).toHaveLength(2);
  });

  test('returns one visit for a place on both sides of the 180° meridian', () => {
    const fixes = [179.9998, -179.9998, 179.9997, -179.9999].map((longitude, index) =>
      pointAt(START + index * 5 * MINUTE_MS, [longitude, -16.5]),
    );
    const [visit, ...others] = detectVisits(fixes);
    expect(others).toEqual([]);
    expect(Math.abs(Number(visit?.longitude))).toBeGreaterThan(179.99);
    expect(visit?.radius).toBeLessThan(60);
  });

  test('finds generated stays although the points vary within their accuracy radius', () => {
    const staysWithDeviations = fc.tuple(
      arbitraryCoordinates,
      fc.array(fc.record({ minutes: fc.integer({ min: 12, max: 90 }), bearing: fc.integer({ min: -180, max: 180 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.array(fc.record({ metres: fc.integer({ min: 0, max: 45 }), bearing: fc.integer({ min: -180, max: 180 }) }), {
        minLength: 50,
        maxLength: 50,
      }),
    );
    fc.assert(
      fc.property(staysWithDeviations, ([origin, stays, deviations]) => {
        let [place, time, pointCount] = [origin, START, 0];
        const expected = stays.map(({ minutes, bearing }) => {
          place = translate(place, 800, bearing);
          const points = pointsOfStay(place, time, minutes).map(({ point }) => {
            const { metres = 0, bearing: direction = 0 } = deviations[(pointCount += 1) % deviations.length] ?? {};
            return pointAt(point.positionTime, translate(place, metres, direction), 50);
          });
          const stay = { place, from: time, to: time + minutes * MINUTE_MS, points };
          time = stay.to + MINUTE_MS;
          return stay;
        });
        // Consecutive stays are at different places. The track may return to a place; as each stay lasts longer than a
        // short absence, its visits are not merged.
        const visits = detectVisits(expected.flatMap(({ points }) => points));
        expect(visits.map(({ from, to }) => ({ from, to }))).toEqual(expected.map(({ from, to }) => ({ from, to })));
        for (const [index, visit] of visits.entries())
          expect(distanceMetres(centreOf(visit), expected[index]?.place ?? HOME)).toBeLessThan(46);
      }),
    );
  });

  test('finds no visit in a continuous walk', () => {
    const walks = fc.tuple(
      arbitraryCoordinates,
      fc.integer({ min: -180, max: 180 }),
      fc.integer({ min: 60, max: 120 }),
    );
    fc.assert(
      fc.property(walks, ([origin, bearing, metresPerMinute]) => {
        const walk = Array.from({ length: 90 }, (_, minute) =>
          pointAt(START + minute * MINUTE_MS, translate(origin, minute * metresPerMinute, bearing), 10),
        );
        expect(detectVisits(walk)).toEqual([]);
      }),
    );
  });
});

describe('detectVisits for any track', () => {
  test('returns visits of at least ten minutes that begin and end with a point and do not overlap', () => {
    fc.assert(
      fc.property(tracks, (points) => {
        const times = new Set(points.map(({ point }) => point.positionTime));
        let previousEnd = -Infinity;
        for (const { from, to } of detectVisits(points)) {
          expect([times.has(from), times.has(to), to - from >= MIN_VISIT_MS, from >= previousEnd]).toEqual(
            Array(4).fill(true),
          );
          previousEnd = to;
        }
      }),
    );
  });

  test('returns a circle around each visit that contains its first and its last point', () => {
    fc.assert(
      fc.property(tracks, (points) => {
        for (const visit of detectVisits(points)) {
          for (const time of [visit.from, visit.to]) {
            const distances = points
              .filter(({ point }) => point.positionTime === time)
              .map(({ point }) => distanceMetres(centreOf(visit), centreOf(point)));
            expect(Math.min(...distances)).toBeLessThanOrEqual(visit.radius);
          }
        }
      }),
    );
  });

  test('returns the same visits if points are shuffled and non-credible or inaccurate points are added', () => {
    const flags = [POINT_FLAG.FUTURE, POINT_FLAG.IMPOSSIBLE_SPEED, POINT_FLAG.NO_FIX, POINT_FLAG.REPORTED_WRONG];
    const nonCredible = flags.flatMap((flag, index) =>
      pointsOfStay(SCHOOL, START + index * 30 * MINUTE_MS, 25).map(({ point }) => ({ point, flags: [flag] })),
    );
    fc.assert(
      fc.property(tracks, fc.infiniteStream(fc.nat()), (points, ranks) => {
        const inaccurate = [0, 20].map((minute) =>
          pointAt(START + minute * MINUTE_MS, HOME, MAX_VISIT_ACCURACY_RADIUS + 1),
        );
        const shuffled = [...points, ...nonCredible, ...inaccurate]
          .map((point) => ({ point, rank: ranks.next().value as number }))
          .toSorted((a, b) => a.rank - b.rank)
          .map(({ point }) => point);
        expect(detectVisits(shuffled)).toEqual(detectVisits(points));
      }),
    );
  });

  test('returns an unchanged visit when points are added at the centre of the visit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 200 }), fc.integer({ min: 0, max: 50 }), (minutes, extra) => {
        const points = pointsOfStay(HOME, START, minutes);
        const added = Array.from({ length: extra }, (_, index) =>
          pointAt(START + 1 + index * 1_000, HOME, VISIT_RADIUS_METRES),
        );
        expect(detectVisits([...points, ...added])).toEqual(detectVisits(points));
      }),
    );
  });
});
