import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { distance } from '@turf/distance';
import { earthRadius, polygon } from '@turf/helpers';
import type { GeoPoint, FenceCircle, FencePolygon, FenceShape } from '@family-watch/domain/locations/contracts/fence';

/**
 * A polygon whose longitudes are relative to its first corner, so that the 180° meridian needs no special case.
 * Corners are [east, north] in degrees.
 */
export interface LocalRing {
  /** Longitude of the first corner. */
  origin: number;
  corners: [number, number][];
  /** Western, southern, eastern and northern limit of the corners, in degrees. */
  boundingBox: [number, number, number, number];
}

export function toLocalRing(points: readonly GeoPoint[]): LocalRing {
  const origin = Number(points[0]?.longitude);
  const corners = points.map(({ latitude, longitude }): [number, number] => [
    longitudeDelta(origin, Number(longitude)),
    Number(latitude),
  ]);
  const [easts, norths] = [corners.map(([east]) => east), corners.map(([, north]) => north)];
  return {
    origin,
    corners,
    boundingBox: [Math.min(...easts), Math.min(...norths), Math.max(...easts), Math.max(...norths)],
  };
}

/** Returns how many degrees `to` is east of `from`, by the shorter way: −180 to 180. Negative degrees are west. */
function longitudeDelta(from: number, to: number): number {
  const degrees = to - from;
  if (degrees > 180) return degrees - 360;
  return degrees < -180 ? degrees + 360 : degrees;
}

/** Converts a difference in latitude to metres, as an absolute value. */
export function latitudeDegreesToMetres(degrees: number): number {
  return Math.abs(degrees) * metresPerLongitudeDegree(0);
}

/** Returns the length of one degree of longitude at this latitude, in metres. */
export function metresPerLongitudeDegree(latitude: number): number {
  return ((earthRadius * Math.PI) / 180) * Math.cos((latitude * Math.PI) / 180);
}

/** A location with its time: degrees (WGS 84), accuracy radius in metres, Unix milliseconds. */
export interface Fix {
  time: number;
  latitude: number;
  longitude: number;
  radius: number;
}

/** Orders fixes for evaluation by time. Of several fixes at one time, the most accurate is evaluated last. */
export function compareFixes(a: Fix, b: Fix): number {
  return a.time - b.time || b.radius - a.radius;
}

/**
 * Side of a fence on which a fix is. IN: the whole accuracy circle of the fix is inside. OUT: it is at least
 * {@link EXIT_MARGIN_METRES} outside. UNSURE: neither.
 */
export type FenceSide = 'IN' | 'OUT' | 'UNSURE';

/** Returns on which side of one fence a fix is. */
export type FenceSideTest = (fix: Fix) => FenceSide;

/** Minimum distance between the edge of a fence and the accuracy circle of a fix that counts as outside, in metres. */
export const EXIT_MARGIN_METRES = 10;

/** Prepares a shape for many tests. The shape must be one that `validateShape` accepts. */
export function compileShape({ circle, polygon: fencePolygon }: FenceShape): FenceSideTest {
  if (circle) return compileCircle(circle);
  if (fencePolygon) return compilePolygon(fencePolygon);
  throw new Error('The fence has no shape');
}

function compileCircle(circle: FenceCircle): FenceSideTest {
  const latitude = Number(circle.latitude);
  const centre = [Number(circle.longitude), latitude];
  return (fix) => {
    // The distance is at least the difference in latitude, which is cheap to compute and excludes most fixes.
    if (latitudeDegreesToMetres(fix.latitude - latitude) >= circle.radius + fix.radius + EXIT_MARGIN_METRES)
      return 'OUT';
    const metresFromCentre = distance(centre, [fix.longitude, fix.latitude], { units: 'meters' });
    return sideAtDepth(circle.radius - metresFromCentre, fix.radius);
  };
}

function compilePolygon({ points }: FencePolygon): FenceSideTest {
  const ring = toLocalRing(points);
  const area = polygon([[...ring.corners, ring.corners[0] ?? []]]);
  return (fix) => {
    const east = longitudeDelta(ring.origin, fix.longitude);
    if (distanceToBoundingBox(ring, east, fix.latitude) >= fix.radius + EXIT_MARGIN_METRES) return 'OUT';
    const metresFromEdge = distanceToEdge(ring, east, fix.latitude);
    const isInside = booleanPointInPolygon([east, fix.latitude], area);
    return sideAtDepth(isInside ? metresFromEdge : -metresFromEdge, fix.radius);
  };
}

/**
 * @param depth distance of the fix from the edge in metres, negative outside
 * @param radius accuracy radius of the fix in metres
 */
function sideAtDepth(depth: number, radius: number): FenceSide {
  if (depth >= radius) return 'IN';
  return -depth >= radius + EXIT_MARGIN_METRES ? 'OUT' : 'UNSURE';
}

/** Returns a lower bound of the distance to the ring, in metres; 0 for a location inside the bounding box. */
function distanceToBoundingBox(
  { boundingBox: [west, south, east, north] }: LocalRing,
  longitude: number,
  latitude: number,
): number {
  const gapNorth = Math.max(south - latitude, latitude - north, 0);
  const gapEast = Math.max(west - longitude, longitude - east, 0);
  // The shortest path to a meridian meets it at a right angle.
  const toMeridian = Math.sin(toRadians(Math.min(gapEast, 90))) * Math.cos(toRadians(latitude));
  return Math.max(latitudeDegreesToMetres(gapNorth), (toMeridian * latitudeDegreesToMetres(180)) / Math.PI);
}

/**
 * Returns the distance to the nearest edge in metres, on a local map that is true to scale at the fix. Distances to
 * near edges are exact; far edges do not affect the result. An edge is straight in degrees, as in
 * `booleanPointInPolygon`.
 */
function distanceToEdge({ corners }: LocalRing, longitude: number, latitude: number): number {
  const [perEast, perNorth] = [metresPerLongitudeDegree(latitude), metresPerLongitudeDegree(0)];
  const last = corners.at(-1) ?? [0, 0];
  let [nearest, fromX, fromY] = [Infinity, (last[0] - longitude) * perEast, (last[1] - latitude) * perNorth];
  for (const corner of corners) {
    const x = (corner[0] - longitude) * perEast;
    const y = (corner[1] - latitude) * perNorth;
    const squaredDistance = squaredDistanceToSegment(fromX, fromY, x, y);
    if (squaredDistance < nearest) nearest = squaredDistance;
    fromX = x;
    fromY = y;
  }
  return Math.sqrt(nearest);
}

/** Returns the squared distance from the origin to the segment between two points. */
function squaredDistanceToSegment(fromX: number, fromY: number, toX: number, toY: number): number {
  const alongX = toX - fromX;
  const alongY = toY - fromY;
  const squaredLength = alongX * alongX + alongY * alongY;
  // Position of the nearest point on the segment: 0 at its start, 1 at its end.
  const position =
    squaredLength === 0 ? 0 : Math.min(1, Math.max(0, -(fromX * alongX + fromY * alongY) / squaredLength));
  const x = fromX + position * alongX;
  const y = fromY + position * alongY;
  return x * x + y * y;
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
