const EARTH_RADIUS_METRES = 6_371_008.8;

interface Coordinates {
  latitude: number;
  longitude: number;
}

/** Returns the great-circle distance in metres. */
export function distanceInMetres(from: Coordinates, to: Coordinates): number {
  const [fromLatitude, toLatitude] = [radians(from.latitude), radians(to.latitude)];
  const northward = Math.sin((toLatitude - fromLatitude) / 2) ** 2;
  const eastward = Math.sin(radians(to.longitude - from.longitude) / 2) ** 2;
  const chord = northward + Math.cos(fromLatitude) * Math.cos(toLatitude) * eastward;
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(chord)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
