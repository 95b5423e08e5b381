import type { GeoPoint } from '../contracts/fence.js';

const EARTH_RADIUS_METRES = 6_371_008.8;

/**
 * A polygon whose longitudes are relative to its first corner, so that the 180° meridian needs no special case.
 * Corners are [east, north] in degrees.
 */
export interface LocalRing {
  /** Longitude of the first corner. */
  origin: number;
  corners: [number, number][];
  /** West, south, east, north. */
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

/** Returns the degrees eastwards from one longitude to another, by the shorter way: −180 to 180. */
export function longitudeDelta(from: number, to: number): number {
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
  return ((EARTH_RADIUS_METRES * Math.PI) / 180) * Math.cos((latitude * Math.PI) / 180);
}
