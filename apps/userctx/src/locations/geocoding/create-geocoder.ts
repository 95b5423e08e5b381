import type { Environment } from '@family-watch/platform/config/environment';
import type { Geocoder } from './geocoder.js';
import { OfflineGeocoder } from './offline-geocoder.js';

const NO_GEOCODER: Geocoder = { findTown: () => Promise.resolve(null), stop: () => undefined };

export function createGeocoder({ GEOCODER }: Pick<Environment, 'GEOCODER'>): Geocoder {
  return GEOCODER === 'offline' ? new OfflineGeocoder() : NO_GEOCODER;
}
