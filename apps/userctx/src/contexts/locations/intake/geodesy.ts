import type { Location } from '@family-watch/domain/locations/contracts/location';

const EARTH_RADIUS_METRES = 6_371_008.8;

/**
 * Returns the great-circle distance in metres (haversine formula; the error against the ellipsoid is at most 0.5 %).
 */
export function greatCircleDistance(
  a: Pick<Location, 'latitude' | 'longitude'>,
  b: Pick<Location, 'latitude' | 'longitude'>,
): number {
  const [latitudeA, latitudeB] = [radians(a.latitude), radians(b.latitude)];
  const halfLatitude = Math.sin((latitudeB - latitudeA) / 2);
  const halfLongitude = Math.sin((radians(b.longitude) - radians(a.longitude)) / 2);
  const square = halfLatitude ** 2 + Math.cos(latitudeA) * Math.cos(latitudeB) * halfLongitude ** 2;
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(square)));
}

function radians(degrees: string): number {
  return (Number(degrees) * Math.PI) / 180;
}
