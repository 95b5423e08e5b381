import { distance } from '@turf/distance';
import type { Location } from './location.js';
import { isCredible } from './point-flag.js';
import type { PointFlag } from './point-flag.js';

/** Metres from the middle of a place to where its points may lie, beside their own doubt. */
export const VISIT_RADIUS_METRES = 100;
/** Who stays for less is passing through. Milliseconds. */
export const MIN_VISIT_MS = 600_000;
/** After a longer silence nobody knows whether the child was away. Milliseconds. */
export const MAX_GAP_MS = 7_200_000;
/** A fix with a larger radius says neither that the child stayed nor that it left. Metres. */
export const MAX_VISIT_ACCURACY_RADIUS = 200;
/** Better than this no fix is taken for, whatever it says of itself. Metres. */
const SMALLEST_DOUBT = 10;
const DEGREES = 6;

/** A point of a track with what is doubtful about it. */
export interface TrackPoint {
  point: Location;
  flags: readonly PointFlag[];
}

/** A stay at one place: from its first to its last point there, Unix milliseconds. */
export interface Visit {
  from: number;
  to: number;
  /** The middle of the place: degrees, decimal text. */
  latitude: string;
  longitude: string;
  /** Metres around the middle in which its points lie. */
  radius: number;
}

/** Longitude first, as turf has it. */
type Place = [longitude: number, latitude: number];

interface Fix {
  time: number;
  place: Place;
  radius: number;
}

/** Fixes near each other, and the sums of which their middle is made; longitudes are counted from the first fix. */
interface Stay {
  fixes: Fix[];
  from: number;
  to: number;
  weight: number;
  eastward: number;
  latitudes: number;
}

/**
 * Where a child stayed, in time order and without overlap. Doubtful and rough points are left out of it; an absence
 * that would be too short for a visit elsewhere does not end one. The order and the batches in which the points come
 * make no difference.
 */
export function detectVisits(points: readonly TrackPoint[]): Visit[] {
  const stays = withoutShortAbsences(staysOf(fixesOf(points)));
  return stays.filter(({ from, to }) => to - from >= MIN_VISIT_MS).map(toVisit);
}

function fixesOf(points: readonly TrackPoint[]): Fix[] {
  return points
    .filter(({ point, flags }) => isCredible(flags) && point.radius <= MAX_VISIT_ACCURACY_RADIUS)
    .map(({ point }): Fix => ({
      time: point.positionTime,
      place: [Number(point.longitude), Number(point.latitude)],
      radius: point.radius,
    }))
    .toSorted(byTime);
}

/** Of one moment the surest first, and the rest in any order that is always the same. */
function byTime(a: Fix, b: Fix): number {
  return a.time - b.time || a.radius - b.radius || a.place[0] - b.place[0] || a.place[1] - b.place[1];
}

/** Cuts the track wherever a fix lies surely outside the place that the ones before it make, or after a silence. */
function staysOf(fixes: readonly Fix[]): Stay[] {
  const stays: Stay[] = [];
  for (const fix of fixes) {
    const last = stays.at(-1);
    if (last && fix.time - last.to <= MAX_GAP_MS && isWithin(last, fix)) add(last, fix);
    else stays.push(stayAt(fix));
  }
  return stays;
}

function isWithin(stay: Stay, { place, radius }: Fix): boolean {
  return metres(middleOf(stay), place) - radius <= VISIT_RADIUS_METRES;
}

/** Joins stays at one place that less than a visit lies between, and drops what lay there. */
function withoutShortAbsences(stays: readonly Stay[]): Stay[] {
  const kept: Stay[] = [];
  for (const stay of stays) {
    const at = indexOfReturn(kept, stay);
    const before = kept[at];
    if (before) {
      for (const fix of stay.fixes) add(before, fix);
      kept.length = at + 1;
    } else kept.push(stay);
  }
  return kept;
}

/** The stay whose place the child has come back to; −1 for none. Looks no further back than an absence can last. */
function indexOfReturn(kept: readonly Stay[], stay: Stay): number {
  for (let at = kept.length - 1; at >= 0; at -= 1) {
    const before = kept[at];
    if (!before || stay.from - before.to >= MIN_VISIT_MS) return -1;
    if (metres(middleOf(before), middleOf(stay)) <= VISIT_RADIUS_METRES) return at;
  }
  return -1;
}

function stayAt(fix: Fix): Stay {
  const stay: Stay = { fixes: [], from: fix.time, to: fix.time, weight: 0, eastward: 0, latitudes: 0 };
  add(stay, fix);
  return stay;
}

/** A fix of half the doubt counts four times. */
function add(stay: Stay, fix: Fix): void {
  const weight = 1 / Math.max(fix.radius, SMALLEST_DOUBT) ** 2;
  stay.fixes.push(fix);
  stay.to = fix.time;
  stay.weight += weight;
  stay.eastward += weight * eastOf(originOf(stay), fix.place[0]);
  stay.latitudes += weight * fix.place[1];
}

function middleOf(stay: Stay): Place {
  const longitude = originOf(stay) + stay.eastward / stay.weight;
  return [eastOf(0, longitude), stay.latitudes / stay.weight];
}

function originOf({ fixes }: Stay): number {
  return fixes[0]?.place[0] ?? 0;
}

/** Degrees to go east from one longitude to another, −180 to 180: the 180th meridian is no border. */
function eastOf(from: number, to: number): number {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

function metres(a: Place, b: Place): number {
  return distance(a, b, { units: 'meters' });
}

function toVisit(stay: Stay): Visit {
  const [longitude, latitude] = middleOf(stay).map((degrees) => degrees.toFixed(DEGREES)) as [string, string];
  const middle: Place = [Number(longitude), Number(latitude)];
  const radius = Math.ceil(Math.max(...stay.fixes.map(({ place }) => metres(middle, place))));
  return { from: stay.from, to: stay.to, latitude, longitude, radius };
}
