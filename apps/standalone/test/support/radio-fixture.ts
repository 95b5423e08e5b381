import { WATCH_PATH, type Watch } from './watch.js';
import type { ServiceResponse } from './http-client.js';

/** Location of the street in which the watches of the tests observe access points. */
export const STREET_LOCATION = { latitude: '45.380600', longitude: '14.144491' };

/**
 * Returns access points of the street as a watch observes them. The last byte of each MAC address counts from `first`.
 */
export function accessPoints(count: number, first = 1): { macAddress: string; signalStrength: number }[] {
  return Array.from({ length: count }, (_, index) => ({
    macAddress: `00:1b:21:00:00:${(first + index).toString(16).padStart(2, '0')}`,
    signalStrength: -50 - index,
  }));
}

export const CELL = {
  radioType: 'lte',
  mobileCountryCode: 293,
  mobileNetworkCode: 40,
  locationAreaCode: 7,
  cellId: 4_711,
  signalStrength: -95,
};

/** Returns a scan of the street at the current time, with the given changes. */
export function createScan(change: object = {}): object {
  const observed = { wifiAccessPoints: accessPoints(3), cellTowers: [CELL] };
  return { ...STREET_LOCATION, radius: 10, positionTime: Date.now(), ...observed, ...change };
}

export interface ScanResults {
  results: { index: number; accepted: boolean; reason: string | null }[];
}

export function reportScans(watch: Watch, scans: unknown): Promise<ServiceResponse<ScanResults>> {
  return watch.post<ScanResults>(`${WATCH_PATH}location/scan/report`, { scans });
}
