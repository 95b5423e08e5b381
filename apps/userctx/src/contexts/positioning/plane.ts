/** A point in degrees (WGS 84). */
export interface LatLng {
  latitude: number;
  longitude: number;
}

/** Offset between two points, in metres. */
export interface Offset {
  east: number;
  north: number;
}

const METRES_PER_DEGREE = 111_195;
/** Lower bound of the cosine of the latitude, which approaches zero at the poles. */
const MIN_COSINE = 1e-6;

/**
 * Returns the offset on the plane that touches the Earth between the points. Within 100 km and away from the poles, the
 * offset is accurate to a few parts in a thousand. The offset crosses the date line if that direction is shorter.
 */
export function offsetBetween(from: LatLng, to: LatLng): Offset {
  const turn = to.longitude - from.longitude;
  const degreesEast = turn - 360 * Math.round(turn / 360);
  const north = (to.latitude - from.latitude) * METRES_PER_DEGREE;
  return { east: degreesEast * METRES_PER_DEGREE * cosine((from.latitude + to.latitude) / 2), north };
}

/** Returns the point at this offset from `from`. */
export function translate(from: LatLng, { east, north }: Offset): LatLng {
  const latitude = Math.min(90, Math.max(-90, from.latitude + north / METRES_PER_DEGREE));
  const turn = from.longitude + east / (METRES_PER_DEGREE * cosine((from.latitude + latitude) / 2));
  return { latitude, longitude: turn - 360 * Math.round(turn / 360) };
}

/** Returns the length of the offset in metres. */
export function offsetLength({ east, north }: Offset): number {
  return Math.hypot(east, north);
}

export function scaleOffset({ east, north }: Offset, factor: number): Offset {
  return { east: east * factor, north: north * factor };
}

function cosine(degrees: number): number {
  return Math.max(MIN_COSINE, Math.cos((degrees * Math.PI) / 180));
}
