import type { Position } from './coordinates.js';

const EARTH_RADIUS_METRES = 6_371_008.8;
const CIRCLE_CORNERS = 64;

interface Place {
  latitude: string;
  longitude: string;
}

/** Returns the position of a place of the service, which writes degrees as text. */
export function positionOf({ latitude, longitude }: Place): Position {
  return [Number(longitude), Number(latitude)];
}

/** Returns the place of a position, with decimals for 0.1 m, as the service writes it. */
export function placeOf([longitude, latitude]: Position): Place {
  return { latitude: latitude.toFixed(6), longitude: longitude.toFixed(6) };
}

/** Returns the distance of two positions in metres, on a sphere. */
export function distanceBetween([longitude1, latitude1]: Position, [longitude2, latitude2]: Position): number {
  const [phi1, phi2] = [toRadians(latitude1), toRadians(latitude2)];
  const haversine =
    Math.sin((phi2 - phi1) / 2) ** 2 +
    Math.cos(phi1) * Math.cos(phi2) * Math.sin(toRadians(longitude2 - longitude1) / 2) ** 2;
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/** Returns the direction from one position to another: radians, clockwise from north, from -π to π. */
export function bearingBetween([longitude1, latitude1]: Position, [longitude2, latitude2]: Position): number {
  const [phi1, phi2, delta] = [toRadians(latitude1), toRadians(latitude2), toRadians(longitude2 - longitude1)];
  return Math.atan2(
    Math.sin(delta) * Math.cos(phi2),
    Math.cos(phi1) * Math.sin(phi2) - Math.sin(phi1) * Math.cos(phi2) * Math.cos(delta),
  );
}

/** Returns the corners of a polygon that looks like a circle. `radius`: metres. */
export function circleAround(centre: Position, radius: number): Position[] {
  return Array.from({ length: CIRCLE_CORNERS }, (_, index) =>
    moveBy(centre, radius, (index / CIRCLE_CORNERS) * 2 * Math.PI),
  );
}

/** Returns the position at a distance in metres. `bearing`: radians, clockwise from north. */
export function moveBy([longitude, latitude]: Position, metres: number, bearing: number): Position {
  const angle = metres / EARTH_RADIUS_METRES;
  const phi = toRadians(latitude);
  const sinPhi = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing);
  const delta = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(phi),
    Math.cos(angle) - Math.sin(phi) * sinPhi,
  );
  return [longitude + toDegrees(delta), toDegrees(Math.asin(sinPhi))];
}

/** Returns whether a position is inside a polygon, by the number of edges east of it. */
export function isInside([x, y]: Position, corners: readonly Position[]): boolean {
  let inside = false;
  corners.forEach(([x1, y1], index) => {
    const [x2, y2] = corners.at(index - 1) ?? [x1, y1];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  });
  return inside;
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
