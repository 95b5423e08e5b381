import { describe, expect, test } from '@jest/globals';
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { destination } from '@turf/destination';
import { distance } from '@turf/distance';
import { point, polygon } from '@turf/helpers';
import { pointToPolygonDistance } from '@turf/point-to-polygon-distance';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import type { GeoPoint, FenceShape } from '@family-watch/domain/locations/contracts/fence';
import { compileShape, EXIT_MARGIN_METRES, type Fix, type FenceSide } from './compile-shape.js';

const toGeoPoint = ([longitude = 0, latitude = 0]: readonly number[]): GeoPoint => ({
  latitude: latitude.toFixed(8),
  longitude: wrapLongitude(longitude).toFixed(8),
});
const wrapLongitude = (longitude: number): number => ((((longitude + 180) % 360) + 360) % 360) - 180;
const createFix = ([longitude = 0, latitude = 0]: readonly number[], radius: number): Fix => ({
  time: 0,
  latitude,
  longitude: wrapLongitude(longitude),
  radius,
});
const moveBy = (from: readonly number[], metres: number, bearing: number): number[] =>
  destination([...from], metres, bearing, { units: 'meters' }).geometry.coordinates;

/** Returns the expected side of a fix `depth` metres from the edge; a negative depth is outside. */
function expectedSide(depth: number, radius: number): FenceSide {
  if (depth >= radius) return 'IN';
  return -depth >= radius + EXIT_MARGIN_METRES ? 'OUT' : 'UNSURE';
}

const centres = fc.tuple(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: -84, max: 84, noNaN: true }),
);
const bearings = fc.double({ min: -180, max: 180, noNaN: true });
const radii = fc.integer({ min: 0, max: 300 });
/** Returns false if `depth` is within `tolerance` metres of a change of side, where the side depends on rounding. */
const isClearOfBoundary = (depth: number, radius: number, tolerance: number) =>
  Math.abs(depth - radius) > tolerance && Math.abs(-depth - radius - EXIT_MARGIN_METRES) > tolerance;

describe('compileShape with a circle', () => {
  test('returns IN for a fix entirely inside and OUT for a fix outside by the exit margin, anywhere on Earth', () => {
    fc.assert(
      fc.property(
        ...([centres, fc.integer({ min: 50, max: 50_000 }), bearings] as const),
        ...([fc.double({ min: -600, max: 600, noNaN: true }), radii] as const),
        (centre, fenceRadius, bearing, metresOutside, accuracyRadius) => {
          const location = moveBy(centre, Math.max(0, fenceRadius + metresOutside), bearing);
          const depth = fenceRadius - distance([...centre], location, { units: 'meters' });
          fc.pre(isClearOfBoundary(depth, accuracyRadius, 0.1));
          const sideOf = compileShape({ circle: { ...toGeoPoint(centre), radius: fenceRadius }, polygon: null });
          expect(sideOf(createFix(location, accuracyRadius))).toBe(expectedSide(depth, accuracyRadius));
        },
      ),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

/**
 * Star-shaped polygons: `reach` contains the distances of the corners from the centre, in metres. Such a polygon never
 * intersects itself and is rarely convex.
 */
const starShapes = fc.record({
  centre: centres,
  reach: fc.array(fc.integer({ min: 150, max: 2_000 }), { minLength: 3, maxLength: 24 }),
});

function createStarPolygon(centre: readonly number[], reach: readonly number[]) {
  const corners = reach.map((metres, index) => moveBy(centre, metres, (360 * index) / reach.length - 180));
  const shape: FenceShape = { circle: null, polygon: { points: corners.map(toGeoPoint) } };
  return { shape, turf: polygon([[...corners, corners[0] ?? []]]) };
}

describe('compileShape with a polygon', () => {
  test('returns the same side as the library turf, anywhere on Earth', () => {
    fc.assert(
      fc.property(
        ...([starShapes, bearings, fc.integer({ min: 0, max: 3_000 }), radii] as const),
        ({ centre, reach }, bearing, metres, radius) => {
          const { shape, turf } = createStarPolygon(centre, reach);
          const location = moveBy(centre, metres, bearing);
          const inside = booleanPointInPolygon(location, turf);
          const metresFromEdge = Math.abs(pointToPolygonDistance(point(location), turf, { units: 'meters' }));
          const depth = inside ? metresFromEdge : -metresFromEdge;
          // Turf measures the distance to the great circle of an edge; compileShape measures the distance to the
          // straight line on the map.
          fc.pre(isClearOfBoundary(depth, radius, 2));
          expect(compileShape(shape)(createFix(location, radius))).toBe(expectedSide(depth, radius));
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test('returns the same side for a polygon across the 180° meridian as for the same polygon elsewhere', () => {
    const squareAt = (centreLongitude: number): FenceShape => ({
      circle: null,
      polygon: {
        points: [
          [-0.01, -17],
          [0.01, -17],
          [0.01, -16.98],
          [-0.01, -16.98],
        ].map(([east = 0, latitude = 0]) => toGeoPoint([centreLongitude + east, latitude])),
      },
    });
    const [sideAt100, sideAt180] = [compileShape(squareAt(100)), compileShape(squareAt(180))];
    for (let step = -20; step <= 20; step += 1) {
      const offset = step / 1_000;
      expect(sideAt180(createFix([180 + offset, -16.99], 20))).toBe(sideAt100(createFix([100 + offset, -16.99], 20)));
    }
    expect(sideAt180(createFix([-179.995, -16.99], 20))).toBe('IN');
    expect(sideAt180(createFix([0, -16.99], 20))).toBe('OUT');
  });
});

test('compileShape never returns IN for a fix whose accuracy circle is larger than the fence', () => {
  const sideOf = compileShape({ circle: { ...toGeoPoint([121.47, 31.23]), radius: 50 }, polygon: null });
  expect(sideOf(createFix([121.47, 31.23], 51))).toBe('UNSURE');
  expect(sideOf(createFix([121.47, 31.23], 49))).toBe('IN');
});
