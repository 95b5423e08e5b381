import { describe, expect, test } from '@jest/globals';
import { destination } from '@turf/destination';
import fc from 'fast-check';
import {
  isCredible,
  POINT_FLAG,
  type Location,
  type PointFlag,
} from '@family-watch/domain/locations/contracts/location';
import type { TrackPoint } from './visits.js';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { simplifyTrack } from './simplify-track.js';

const EARTH_RADIUS_METRES = 6_371_008.8;
const START_TIME = 1_790_000_000_000;

type Coordinates = [longitude: number, latitude: number];
type Vector = [number, number, number];

const translate = (from: Coordinates, metres: number, bearing: number): Coordinates =>
  destination(from, metres, bearing, { units: 'meters' }).geometry.coordinates as Coordinates;

function createPoint(time: number, [longitude, latitude]: Coordinates, flags: PointFlag[] = []): TrackPoint {
  const east = ((((longitude + 180) % 360) + 360) % 360) - 180;
  const degrees = { latitude: latitude.toFixed(8), longitude: east.toFixed(8) };
  return { point: { ...degrees, positionTime: time, radius: 10, pointType: 1 }, flags };
}

/** Returns the unit vector of a place, computed without the projection of the code under test. */
function toUnitVector({ latitude, longitude }: Location): Vector {
  const [north, east] = [latitude, longitude].map((degrees) => (Number(degrees) * Math.PI) / 180) as [number, number];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}

const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dotProduct = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/**
 * Returns the distance in metres from a place to the segment between two other places, along straight lines through the
 * ground. For short segments this equals the distance on the ground.
 */
function distanceToSegment(place: Location, from: Location, to: Location): number {
  const start = toUnitVector(from);
  const segment = subtract(toUnitVector(to), start);
  const offset = subtract(toUnitVector(place), start);
  const squaredLength = dotProduct(segment, segment);
  const fraction = squaredLength === 0 ? 0 : Math.min(1, Math.max(0, dotProduct(offset, segment) / squaredLength));
  const perpendicular = subtract(offset, segment.map((coordinate) => fraction * coordinate) as Vector);
  // A segment of length s through the ground runs at most s² / 8 below the surface of the unit sphere.
  return Math.max(0, (Math.hypot(...perpendicular) - squaredLength / 8) * EARTH_RADIUS_METRES);
}

const places: fc.Arbitrary<Coordinates> = fc.oneof(
  fc.tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -89, max: 89, noNaN: true })),
  fc.constantFrom<Coordinates>([180, -17], [-179.9999, 66], [13, 89.9], [121.4737, 31.2304]),
);

const tracks = fc
  .tuple(
    places,
    fc.array(
      fc.record({
        step: fc.oneof(
          fc.constant(0),
          { weight: 4, arbitrary: fc.integer({ min: 0, max: 60 }) },
          fc.integer({ min: 0, max: 12_000 }),
        ),
        bearing: fc.integer({ min: -180, max: 180 }),
        flags: fc.oneof({ weight: 6, arbitrary: fc.constant<PointFlag[]>([]) }, fc.subarray(Object.values(POINT_FLAG))),
      }),
      { maxLength: 80 },
    ),
  )
  .map(([origin, steps]) => {
    let place = origin;
    return steps.map(({ step, bearing, flags }, index) => {
      place = translate(place, step, bearing);
      return createPoint(START_TIME + index * 1_000, place, flags);
    });
  });

const tolerances = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1_000 }));
const isNonCredible = ({ flags }: TrackPoint) => !isCredible(flags);

describe('simplifyTrack', () => {
  test('returns a line within the tolerance of every removed point', () => {
    fc.assert(
      fc.property(tracks, tolerances, (track, tolerance) => {
        const retained = new Set(simplifyTrack(track, tolerance));
        const line = track.filter((point) => !isNonCredible(point));
        let before: TrackPoint | undefined;
        for (const [index, point] of line.entries()) {
          if (retained.has(point)) {
            before = point;
            continue;
          }
          const after = line.slice(index).find((later) => retained.has(later));
          if (!before || !after) throw new Error('An end of the track was left out');
          expect(distanceToSegment(point.point, before.point, after.point)).toBeLessThanOrEqual(tolerance);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test('returns points unchanged and in order, with both end points and every point that is not credible', () => {
    fc.assert(
      fc.property(tracks, tolerances, (track, tolerance) => {
        const simplified = simplifyTrack(track, tolerance);
        expect(simplified).toEqual(track.filter((point) => simplified.includes(point)));
        const line = track.filter((point) => !isNonCredible(point));
        for (const point of [line[0], line.at(-1), ...track.filter(isNonCredible)])
          if (point) expect(simplified).toContain(point);
      }),
    );
  });

  test('reduces a straight walk of 1,000 points to two', () => {
    const walk = Array.from({ length: 1_000 }, (_, index) =>
      createPoint(START_TIME + index, translate([121.4737, 31.2304], index * 5, 60)),
    );
    expect(simplifyTrack(walk, 1)).toEqual([walk[0], walk.at(-1)]);
  });

  test('removes a 20-metre corner at a tolerance of 25 metres and keeps it at 15 metres, anywhere on Earth', () => {
    const corners = fc.property(places, fc.integer({ min: -180, max: 180 }), (origin, bearing) => {
      const [middle, end] = [translate(origin, 100, bearing), translate(origin, 200, bearing)];
      const track = [origin, translate(middle, 20, bearing + 90), end].map((place, index) =>
        createPoint(START_TIME + index, place),
      );
      expect([simplifyTrack(track, 25).length, simplifyTrack(track, 15).length]).toEqual([2, 3]);
    });
    fc.assert(corners);
  });

  test('takes processor time in proportion to the number of points, in the worst case', () => {
    const spiral = Array.from({ length: 20_000 }, (_, index) =>
      createPoint(START_TIME + index, translate([121.4737, 31.2304], 10 + index / 10, (index * 137) % 360)),
    );
    const processorTimeOf = (points: typeof spiral): number => {
      const before = process.threadCpuUsage();
      expect(simplifyTrack(points, 1).length).toBeGreaterThan(points.length / 2);
      return process.threadCpuUsage(before).user;
    };
    processorTimeOf(spiral.slice(0, 2_000));
    // Ten times the points would take a hundred times the processor time if it grew with their square.
    expect(processorTimeOf(spiral)).toBeLessThan(40 * processorTimeOf(spiral.slice(0, 2_000)));
  });
});
