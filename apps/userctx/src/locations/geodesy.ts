import { distance } from '@turf/distance';
import { earthRadius } from '@turf/helpers';
import type { Location } from '@family-watch/domain/locations/contracts/location';

type GeographicPoint = Pick<Location, 'latitude' | 'longitude'>;

/**
 * Returns the great-circle distance in metres (haversine formula; the error against the ellipsoid is at most 0.5 %).
 */
export function greatCircleDistance(a: GeographicPoint, b: GeographicPoint): number {
  const metres = distance(toCoordinates(a), toCoordinates(b), { units: 'meters' });
  // For opposite points of the earth, turf takes the root of a number that rounding made negative.
  return Number.isNaN(metres) ? Math.PI * earthRadius : metres;
}

/**
 * Returns a projection to metres east and north of `origin` (azimuthal equidistant). The projection is valid at the
 * poles and across the 180th meridian. Within ten kilometres, distances between any two points are accurate to one part
 * in a million.
 */
export function createLocalProjection(
  origin: GeographicPoint,
): (place: GeographicPoint) => [east: number, north: number] {
  const [latitude0, longitude0] = [toRadians(origin.latitude), toRadians(origin.longitude)];
  const [sin0, cos0] = [Math.sin(latitude0), Math.cos(latitude0)];
  return (place) => {
    const [latitude, eastward] = [toRadians(place.latitude), toRadians(place.longitude) - longitude0];
    const [sin, cos] = [Math.sin(latitude), Math.cos(latitude)];
    const east = cos * Math.sin(eastward);
    // sin(a − b) for the difference of latitudes, which stays precise for small differences.
    const north = Math.sin(latitude - latitude0) + sin0 * cos * 2 * Math.sin(eastward / 2) ** 2;
    // East and north are the components of the sine of the angle between the two points, seen from the Earth's centre.
    const sinAngle = Math.hypot(east, north);
    const angle = Math.atan2(sinAngle, sin0 * sin + cos0 * cos * Math.cos(eastward));
    const scale = sinAngle === 0 ? 0 : (earthRadius * angle) / sinAngle;
    return [east * scale, north * scale];
  };
}

function toRadians(degrees: string): number {
  return (Number(degrees) * Math.PI) / 180;
}

function toCoordinates({ longitude, latitude }: GeographicPoint): [longitude: number, latitude: number] {
  return [Number(longitude), Number(latitude)];
}
