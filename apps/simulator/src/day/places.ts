import type { NamedPlace } from '../people/fence-actions.js';
import { distanceInMetres } from '../track/distance.js';
import { GpxError } from '../track/gpx.js';
import type { JourneyPoint } from '../track/journey.js';

/** Metres: a smaller fence says little with positions that are good to ten, a larger one is a part of town. */
const [LEAST_RADIUS, LARGEST_RADIUS] = [50, 150];
/** Of the way between the two places; the rest is neither. */
const SHARE = 0.25;

/**
 * Home is where the journey begins, school its place farthest from there.
 * @throws GpxError for a journey that stays too close to its beginning
 */
export function deriveHomeAndSchool(journey: readonly JourneyPoint[]): { home: NamedPlace; school: NamedPlace } {
  const [start] = journey;
  if (!start) throw new GpxError('There is no point in the track');
  const farthest = journey.reduce(
    (far, point) => (distanceInMetres(start, point) > distanceInMetres(start, far) ? point : far),
    start,
  );
  const apart = distanceInMetres(start, farthest);
  const radius = Math.min(LARGEST_RADIUS, Math.floor(apart * SHARE));
  if (radius < LEAST_RADIUS) {
    const least = Math.ceil(LEAST_RADIUS / SHARE);
    throw new GpxError(`The track never gets ${least} m away from its beginning, too little for a way to school`);
  }
  return { home: placeAt('home', start, radius), school: placeAt('school', farthest, radius) };
}

function placeAt(name: string, { latitude, longitude }: JourneyPoint, radius: number): NamedPlace {
  return { name, latitude, longitude, radius };
}
