import { distance } from '@turf/distance';
import { isCredible } from './contracts/location.js';
import type { Location, PointFlag } from './contracts/location.js';

/** Maximum distance of a visit's points from its centre, in addition to their accuracy radius, in metres. */
export const VISIT_RADIUS_METRES = 100;
/** Minimum duration of a visit, in milliseconds. */
export const MIN_VISIT_MS = 600_000;
/**
 * Maximum gap between two points of a visit, in milliseconds. During a longer gap between points the child may have
 * been away.
 */
export const MAX_GAP_MS = 7_200_000;
/** Maximum accuracy radius in metres; the detection ignores fixes with a larger radius. */
export const MAX_VISIT_ACCURACY_RADIUS = 200;
/** Minimum accuracy radius in metres; a smaller reported radius is replaced by this value. */
const MIN_ACCURACY_RADIUS_METRES = 10;
const COORDINATE_DECIMALS = 6;

/** A point of a track with its flags. */
export interface TrackPoint {
  point: Location;
  flags: readonly PointFlag[];
}

/** A stay at one place, from its first to its last point; Unix milliseconds. */
export interface Visit {
  from: number;
  to: number;
  /** Centre of the place: decimal degrees as text. */
  latitude: string;
  longitude: string;
  /** Radius around the centre that contains all points, in metres. */
  radius: number;
}

/** Coordinates with the longitude first, as in the library turf. */
type Coordinates = [longitude: number, latitude: number];

interface Fix {
  time: number;
  coordinates: Coordinates;
  radius: number;
}

/** Fixes near each other, with the weighted sums for their centre. Longitudes are relative to the first fix. */
interface Stay {
  fixes: Fix[];
  from: number;
  to: number;
  weight: number;
  eastwardSum: number;
  latitudeSum: number;
}

/**
 * Detects where a child stayed, in time order and without overlap. Ignores implausible and inaccurate points. An
 * absence that is shorter than a visit does not end a stay. The result does not depend on the order of the points.
 */
export function detectVisits(points: readonly TrackPoint[]): Visit[] {
  const stays = mergeAcrossShortAbsences(splitIntoStays(toUsableFixes(points)));
  return stays.filter(({ from, to }) => to - from >= MIN_VISIT_MS).map(toVisit);
}

function toUsableFixes(points: readonly TrackPoint[]): Fix[] {
  return points
    .filter(({ point, flags }) => isCredible(flags) && point.radius <= MAX_VISIT_ACCURACY_RADIUS)
    .map(({ point }): Fix => ({
      time: point.positionTime,
      coordinates: [Number(point.longitude), Number(point.latitude)],
      radius: point.radius,
    }))
    .toSorted(compareByTime);
}

/**
 * Orders fixes by time, then by accuracy with the most accurate first, then by coordinates to make the order unique.
 */
function compareByTime(a: Fix, b: Fix): number {
  return (
    a.time - b.time || a.radius - b.radius || a.coordinates[0] - b.coordinates[0] || a.coordinates[1] - b.coordinates[1]
  );
}

/**
 * Begins a new stay at each fix that is certainly outside the place of the previous fixes, and after each long gap
 * between fixes.
 */
function splitIntoStays(fixes: readonly Fix[]): Stay[] {
  const stays: Stay[] = [];
  for (const fix of fixes) {
    const last = stays.at(-1);
    if (last && fix.time - last.to <= MAX_GAP_MS && isAtSamePlace(last, fix)) addFix(last, fix);
    else stays.push(createStay(fix));
  }
  return stays;
}

function isAtSamePlace(stay: Stay, { coordinates, radius }: Fix): boolean {
  return distanceMetres(centreOf(stay), coordinates) - radius <= VISIT_RADIUS_METRES;
}

/**
 * Merges stays at one place that are separated by less than the duration of a visit, and drops the stays between the
 * merged ones.
 */
function mergeAcrossShortAbsences(stays: readonly Stay[]): Stay[] {
  const merged: Stay[] = [];
  for (const stay of stays) {
    const at = indexOfStayAtSamePlace(merged, stay);
    const before = merged[at];
    if (before) {
      for (const fix of stay.fixes) addFix(before, fix);
      merged.length = at + 1;
    } else merged.push(stay);
  }
  return merged;
}

/**
 * Returns the index of the stay to which the child returned, or −1. The search ends at a stay that is longer ago than
 * an absence can last.
 */
function indexOfStayAtSamePlace(stays: readonly Stay[], stay: Stay): number {
  for (let at = stays.length - 1; at >= 0; at -= 1) {
    const before = stays[at];
    if (!before || stay.from - before.to >= MIN_VISIT_MS) return -1;
    if (distanceMetres(centreOf(before), centreOf(stay)) <= VISIT_RADIUS_METRES) return at;
  }
  return -1;
}

function createStay(fix: Fix): Stay {
  const stay: Stay = { fixes: [], from: fix.time, to: fix.time, weight: 0, eastwardSum: 0, latitudeSum: 0 };
  addFix(stay, fix);
  return stay;
}

/** Adds a fix with weight 1 / radius²: a fix with half the accuracy radius counts four times as much. */
function addFix(stay: Stay, fix: Fix): void {
  const weight = 1 / Math.max(fix.radius, MIN_ACCURACY_RADIUS_METRES) ** 2;
  stay.fixes.push(fix);
  stay.to = fix.time;
  stay.weight += weight;
  stay.eastwardSum += weight * degreesEast(originOf(stay), fix.coordinates[0]);
  stay.latitudeSum += weight * fix.coordinates[1];
}

function centreOf(stay: Stay): Coordinates {
  const longitude = originOf(stay) + stay.eastwardSum / stay.weight;
  return [degreesEast(0, longitude), stay.latitudeSum / stay.weight];
}

function originOf({ fixes }: Stay): number {
  return fixes[0]?.coordinates[0] ?? 0;
}

/** Returns the degrees eastwards from one longitude to another, −180 to 180, also across the 180° meridian. */
function degreesEast(from: number, to: number): number {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

function distanceMetres(a: Coordinates, b: Coordinates): number {
  return distance(a, b, { units: 'meters' });
}

function toVisit(stay: Stay): Visit {
  const [longitude, latitude] = centreOf(stay).map((degrees) => degrees.toFixed(COORDINATE_DECIMALS)) as [
    string,
    string,
  ];
  const centre: Coordinates = [Number(longitude), Number(latitude)];
  const radius = Math.ceil(Math.max(...stay.fixes.map(({ coordinates }) => distanceMetres(centre, coordinates))));
  return { from: stay.from, to: stay.to, latitude, longitude, radius };
}
