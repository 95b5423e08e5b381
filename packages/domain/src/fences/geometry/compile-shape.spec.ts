import { describe, expect, it } from '@jest/globals';
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { destination } from '@turf/destination';
import { distance } from '@turf/distance';
import { point, polygon } from '@turf/helpers';
import { pointToPolygonDistance } from '@turf/point-to-polygon-distance';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import type { GeoPoint, FenceShape } from '../contracts/fence.js';
import { compileShape, EXIT_MARGIN_METRES } from './compile-shape.js';
import type { Fix, FenceSide } from './compile-shape.js';

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

/** The expected side for a distance from the edge; negative distances are outside. */
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
/** Excludes fixes within `tolerance` metres of a boundary, where the side depends on rounding. */
const isClearOfBoundary = (depth: number, radius: number, tolerance: number) =>
  Math.abs(depth - radius) > tolerance && Math.abs(-depth - radius - EXIT_MARGIN_METRES) > tolerance;

describe('compileShape with a circle', () => {
  it('returns IN for a fix entirely inside and OUT for one outside by the margin, anywhere on Earth', () => {
    fc.assert(
      fc.property(
        ...([centres, fc.integer({ min: 50, max: 50_000 }), bearings] as const),
        ...([fc.double({ min: -600, max: 600, noNaN: true }), radii] as const),
        (centre, size, bearing, beyond, radius) => {
          const there = moveBy(centre, Math.max(0, size + beyond), bearing);
          const depth = size - distance([...centre], there, { units: 'meters' });
          fc.pre(isClearOfBoundary(depth, radius, 0.1));
          const sideOf = compileShape({ circle: { ...toGeoPoint(centre), radius: size }, polygon: null });
          expect(sideOf(createFix(there, radius))).toBe(expectedSide(depth, radius));
        },
      ),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

/** A ring around a centre with corners at varying distances, which never intersects itself and is rarely convex. */
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
  it('returns the same side as the library turf, anywhere on Earth', () => {
    fc.assert(
      fc.property(
        ...([starShapes, bearings, fc.integer({ min: 0, max: 3_000 }), radii] as const),
        ({ centre, reach }, bearing, metres, radius) => {
          const { shape, turf } = createStarPolygon(centre, reach);
          const there = moveBy(centre, metres, bearing);
          const inside = booleanPointInPolygon(there, turf);
          const edge = Math.abs(pointToPolygonDistance(point(there), turf, { units: 'meters' }));
          const depth = inside ? edge : -edge;
          // Turf measures the distance to the great circle of an edge; compileShape measures the distance to the
          // straight line on the map.
          fc.pre(isClearOfBoundary(depth, radius, 2));
          expect(compileShape(shape)(createFix(there, radius))).toBe(expectedSide(depth, radius));
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('returns the same side for a polygon moved across the 180° meridian', () => {
    const square = (east: number): FenceShape => ({
      circle: null,
      polygon: {
        points: [
          [-0.01, -17],
          [0.01, -17],
          [0.01, -16.98],
          [-0.01, -16.98],
        ].map(([x = 0, y = 0]) => toGeoPoint([east + x, y])),
      },
    });
    const [here, there] = [compileShape(square(100)), compileShape(square(180))];
    for (let step = -20; step <= 20; step += 1) {
      const offset = step / 1_000;
      expect(there(createFix([180 + offset, -16.99], 20))).toBe(here(createFix([100 + offset, -16.99], 20)));
    }
    expect(there(createFix([-179.995, -16.99], 20))).toBe('IN');
    expect(there(createFix([0, -16.99], 20))).toBe('OUT');
  });
});

it('compileShape never returns IN for a fix whose accuracy circle is larger than the fence', () => {
  const sideOf = compileShape({ circle: { ...toGeoPoint([121.47, 31.23]), radius: 50 }, polygon: null });
  expect(sideOf(createFix([121.47, 31.23], 51))).toBe('UNSURE');
  expect(sideOf(createFix([121.47, 31.23], 49))).toBe('IN');
});
