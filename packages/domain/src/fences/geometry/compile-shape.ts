import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { distance } from '@turf/distance';
import { polygon } from '@turf/helpers';
import type { FenceCircle, FencePolygon, FenceShape } from '../contracts/fence.js';
import { latitudeDegreesToMetres, metresPerLongitudeDegree, toLocalRing, longitudeDelta } from './local-ring.js';
import type { LocalRing } from './local-ring.js';

/** A position with what it is worth: WGS 84 degrees, metres, Unix milliseconds. */
export interface Fix {
  time: number;
  latitude: number;
  longitude: number;
  radius: number;
}

/** The order in which fixes are judged: of several at one moment the most exact has the last word. */
export function compareFixes(a: Fix, b: Fix): number {
  return a.time - b.time || b.radius - a.radius;
}

/** Where the child is by one fix, whose whole circle of accuracy must be on that side; UNSURE changes nothing. */
export type FenceSide = 'IN' | 'OUT' | 'UNSURE';

/** Answers for one shape, many times. */
export type FenceSideTest = (fix: Fix) => FenceSide;

/** The circle of accuracy must be this far outside before a child has left. Metres. */
export const EXIT_MARGIN_METRES = 10;

/** Prepares a shape that keeps the rules of `validate-shape.ts`. */
export function compileShape({ circle, polygon: corners }: FenceShape): FenceSideTest {
  if (circle) return compileCircle(circle);
  if (corners) return compilePolygon(corners);
  throw new Error('A fence without a shape');
}

function compileCircle(circle: FenceCircle): FenceSideTest {
  const latitude = Number(circle.latitude);
  const centre = [Number(circle.longitude), latitude];
  return (fix) => {
    // No way is shorter than the difference of the latitudes.
    if (latitudeDegreesToMetres(fix.latitude - latitude) >= circle.radius + fix.radius + EXIT_MARGIN_METRES)
      return 'OUT';
    const away = distance(centre, [fix.longitude, fix.latitude], { units: 'meters' });
    return sideBy(circle.radius - away, fix.radius);
  };
}

function compilePolygon({ points }: FencePolygon): FenceSideTest {
  const ring = toLocalRing(points);
  const area = polygon([[...ring.corners, ring.corners[0] ?? []]]);
  return (fix) => {
    const east = longitudeDelta(ring.origin, fix.longitude);
    if (distanceToBox(ring, east, fix.latitude) >= fix.radius + EXIT_MARGIN_METRES) return 'OUT';
    const edge = distanceToEdge(ring, east, fix.latitude);
    return sideBy(booleanPointInPolygon([east, fix.latitude], area) ? edge : -edge, fix.radius);
  };
}

/** @param depth metres from the edge, negative outside */
function sideBy(depth: number, radius: number): FenceSide {
  if (depth >= radius) return 'IN';
  return -depth >= radius + EXIT_MARGIN_METRES ? 'OUT' : 'UNSURE';
}

/** Metres that it is at least from here to the ring; 0 inside its box. */
function distanceToBox({ box: [west, south, east, north] }: LocalRing, longitude: number, latitude: number): number {
  const gapNorth = Math.max(south - latitude, latitude - north, 0);
  const gapEast = Math.max(west - longitude, longitude - east, 0);
  // The way to a meridian is the shortest where it meets it at a right angle.
  const toMeridian = Math.sin(radians(Math.min(gapEast, 90))) * Math.cos(radians(latitude));
  return Math.max(latitudeDegreesToMetres(gapNorth), (toMeridian * latitudeDegreesToMetres(180)) / Math.PI);
}

/**
 * Metres to the nearest edge, on a map that is true to scale here: the nearer the edge, the more exact, and far ones
 * decide nothing. An edge is straight in degrees, as `booleanPointInPolygon` sees it.
 */
function distanceToEdge({ corners }: LocalRing, longitude: number, latitude: number): number {
  const [perEast, perNorth] = [metresPerLongitudeDegree(latitude), metresPerLongitudeDegree(0)];
  const last = corners.at(-1) ?? [0, 0];
  let [nearest, fromX, fromY] = [Infinity, (last[0] - longitude) * perEast, (last[1] - latitude) * perNorth];
  for (const corner of corners) {
    const x = (corner[0] - longitude) * perEast;
    const y = (corner[1] - latitude) * perNorth;
    const square = squareToSegment(fromX, fromY, x, y);
    if (square < nearest) nearest = square;
    fromX = x;
    fromY = y;
  }
  return Math.sqrt(nearest);
}

/** Square of the distance from the origin to the segment between two points. */
function squareToSegment(fromX: number, fromY: number, toX: number, toY: number): number {
  const alongX = toX - fromX;
  const alongY = toY - fromY;
  const length = alongX * alongX + alongY * alongY;
  const part = length === 0 ? 0 : Math.min(1, Math.max(0, -(fromX * alongX + fromY * alongY) / length));
  const x = fromX + part * alongX;
  const y = fromY + part * alongY;
  return x * x + y * y;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
