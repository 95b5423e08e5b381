import type { AccuracyCircle } from './location-estimate.js';

/** A valid response of a geolocation service. */
export interface GeolocationResponse extends AccuracyCircle {
  fallback: 'lacf' | 'ipf' | null;
}

/** Metres. Half the Earth's circumference; a larger radius has no meaning. */
const MAX_RADIUS_METRES = 20_000_000;

/** @throws Error if the text is not a valid response of Ichnaea's geolocate API */
export function parseGeolocationResponse(text: string): GeolocationResponse {
  const { location, accuracy, fallback } = toRecord(JSON.parse(text));
  const { lat, lng } = toRecord(location);
  if (
    !isNumberWithin(lat, -90, 90) ||
    !isNumberWithin(lng, -180, 180) ||
    !isNumberWithin(accuracy, 0, MAX_RADIUS_METRES)
  ) {
    throw new TypeError('The response contains no valid circle');
  }
  const circle = { latitude: lat, longitude: lng, radius: accuracy };
  return { ...circle, fallback: fallback === 'lacf' || fallback === 'ipf' ? fallback : null };
}

function toRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('The response is not an object');
  return value as Record<string, unknown>;
}

function isNumberWithin(value: unknown, low: number, high: number): value is number {
  return typeof value === 'number' && value >= low && value <= high;
}
