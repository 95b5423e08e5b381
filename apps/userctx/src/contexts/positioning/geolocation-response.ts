import type { AccuracyCircle } from './location-estimate.js';

/** A geolocate answer that makes sense. */
export interface GeolocationResponse extends AccuracyCircle {
  fallback: 'lacf' | 'ipf' | null;
}

/** Half the way around the Earth: a larger circle says nothing. Metres. */
const MAX_RADIUS = 20_000_000;

/** @throws Error for what is no answer of Ichnaea's geolocate interface */
export function parseGeolocationResponse(text: string): GeolocationResponse {
  const { location, accuracy, fallback } = recordOf(JSON.parse(text));
  const { lat, lng } = recordOf(location);
  if (!isWithin(lat, -90, 90) || !isWithin(lng, -180, 180) || !isWithin(accuracy, 0, MAX_RADIUS)) {
    throw new TypeError('The answer names no circle');
  }
  const circle = { latitude: lat, longitude: lng, radius: accuracy };
  return { ...circle, fallback: fallback === 'lacf' || fallback === 'ipf' ? fallback : null };
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('The answer is no object');
  return value as Record<string, unknown>;
}

function isWithin(value: unknown, low: number, high: number): value is number {
  return typeof value === 'number' && value >= low && value <= high;
}
