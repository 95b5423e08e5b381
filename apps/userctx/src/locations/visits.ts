import { distance } from '@turf/distance';
import { isCredible, type Location, type PointFlag } from '@family-watch/domain/locations/contracts/location';
import type { VisitDto } from '@family-watch/domain/locations/dto/track.dto';

/** Maximum distance of a visit's points from its centre, in addition to their accuracy radius, in metres. */
export const VISIT_RADIUS_METRES = 100;
/** Minimum duration of a visit, in milliseconds. */
export const MIN_VISIT_MS = 600_000;
/**
 * Maximum time between two consecutive points of a visit, in milliseconds. A longer gap ends the visit, because the
 * child may have been away.
 */
export const MAX_GAP_MS = 7_200_000;
/** Maximum accuracy radius of a fix in metres; the detection ignores fixes with a larger radius. */
export const MAX_VISIT_ACCURACY_RADIUS = 200;
/** Smallest accuracy radius, in metres, with which a fix is weighted; a smaller reported radius counts as this one. */
const MIN_ACCURACY_RADIUS_METRES = 10;
const COORDINATE_DECIMALS = 6;

/** A point of a track with its flags. */
export interface TrackPoint {
  point: Location;
  flags: readonly PointFlag[];
}

/** Coordinates with the longitude first, as in the library turf. */
type Coordinates = [longitude: number, latitude: number];

interface Fix {
  time: number;
  coordinates: Coordinates;
  radius: number;
}

/**
 * Consecutive fixes at one place, with the weighted sums from which {@link centreOf} computes the centre. `eastwardSum`
 * sums longitudes relative to the first fix, so that the 180° meridian needs no special case.
 */
interface Stay {
  fixes: Fix[];
  from: number;
  to: number;
  weight: number;
  eastwardSum: number;
  latitudeSum: number;
}

/**
 * Returns the visits of a track, in time order and without overlap. Ignores points that are not credible or inaccurate.
 * An absence shorter than {@link MIN_VISIT_MS} does not end a visit. The points may be in any order.
 */
export function detectVisits(points: readonly TrackPoint[]): VisitDto[] {
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
 * Begins a new stay at each fix that is certainly outside the place of the current stay, and after each gap longer than
 * {@link MAX_GAP_MS}.
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
    const index = indexOfStayAtSamePlace(merged, stay);
    const earlier = merged[index];
    if (earlier) {
      for (const fix of stay.fixes) addFix(earlier, fix);
      merged.length = index + 1;
    } else merged.push(stay);
  }
  return merged;
}

/**
 * Returns the index of the last of `stays` at the place of `stay`, or −1. The search ends at a stay that ended at least
 * {@link MIN_VISIT_MS} before `stay`, because stays across a longer absence are not merged.
 */
function indexOfStayAtSamePlace(stays: readonly Stay[], stay: Stay): number {
  for (let index = stays.length - 1; index >= 0; index -= 1) {
    const earlier = stays[index];
    if (!earlier || stay.from - earlier.to >= MIN_VISIT_MS) return -1;
    if (distanceMetres(centreOf(earlier), centreOf(stay)) <= VISIT_RADIUS_METRES) return index;
  }
  return -1;
}

function createStay(fix: Fix): Stay {
  const stay: Stay = { fixes: [], from: fix.time, to: fix.time, weight: 0, eastwardSum: 0, latitudeSum: 0 };
  addFix(stay, fix);
  return stay;
}

/**
 * Adds a fix with weight 1 / radius², as for the mean of measurements with different errors: a fix with half the
 * accuracy radius counts four times as much.
 */
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

/**
 * Returns how many degrees `to` is east of `from`, by the shorter way across any meridian. The result is from −180 to
 * 180; negative degrees are west.
 */
function degreesEast(from: number, to: number): number {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

function distanceMetres(a: Coordinates, b: Coordinates): number {
  return distance(a, b, { units: 'meters' });
}

function toVisit(stay: Stay): VisitDto {
  const [longitude, latitude] = centreOf(stay).map((degrees) => degrees.toFixed(COORDINATE_DECIMALS)) as [
    string,
    string,
  ];
  const centre: Coordinates = [Number(longitude), Number(latitude)];
  const radius = Math.ceil(Math.max(...stay.fixes.map(({ coordinates }) => distanceMetres(centre, coordinates))));
  return { from: stay.from, to: stay.to, latitude, longitude, radius };
}
