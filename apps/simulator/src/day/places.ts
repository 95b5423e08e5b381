import type { NamedPlace } from '../people/child-actions.js';
import { distanceInMetres, type JourneyPoint } from '../track/journey.js';
import { GpxError } from '../track/gpx.js';

/**
 * Limits of the radius of a fence. A smaller fence would be unreliable for fixes with an accuracy radius of ten metres;
 * a larger fence would cover more than one place.
 */
const [MIN_RADIUS_METRES, MAX_RADIUS_METRES] = [50, 150];
/** Radius of a fence as a fraction of the distance between home and school, so that the fences do not touch. */
const RADIUS_FRACTION = 0.25;

/**
 * Uses the start of the journey as home, and the point of the journey farthest from the start as school.
 * @throws GpxError when the journey stays too close to its start
 */
export function deriveHomeAndSchool(journey: readonly JourneyPoint[]): { home: NamedPlace; school: NamedPlace } {
  const [start] = journey;
  if (!start) throw new GpxError('The track has no points');
  const farthest = journey.reduce(
    (far, point) => (distanceInMetres(start, point) > distanceInMetres(start, far) ? point : far),
    start,
  );
  const distance = distanceInMetres(start, farthest);
  const radius = Math.min(MAX_RADIUS_METRES, Math.floor(distance * RADIUS_FRACTION));
  if (radius < MIN_RADIUS_METRES) {
    const minDistance = Math.ceil(MIN_RADIUS_METRES / RADIUS_FRACTION);
    throw new GpxError(`The track must get at least ${minDistance} m away from its start`);
  }
  return { home: toNamedPlace('home', start, radius), school: toNamedPlace('school', farthest, radius) };
}

function toNamedPlace(name: string, { latitude, longitude }: JourneyPoint, radius: number): NamedPlace {
  return { name, latitude, longitude, radius };
}
