/** A place in degrees (WGS 84). */
export interface LatLng {
  latitude: number;
  longitude: number;
}

/** From one place to another, in metres. */
export interface Offset {
  east: number;
  north: number;
}

const METRES_PER_DEGREE = 111_195;
/** Beyond, a degree of longitude shrinks to nothing. */
const COSINE_AT_THE_POLES = 1e-6;

/**
 * The way from `from` to `to` on the plane that touches the Earth between them: within 100 km, and away from the
 * poles, right to a few parts in a thousand. The date line is crossed where that is shorter.
 */
export function offsetBetween(from: LatLng, to: LatLng): Offset {
  const turn = to.longitude - from.longitude;
  const degreesEast = turn - 360 * Math.round(turn / 360);
  const north = (to.latitude - from.latitude) * METRES_PER_DEGREE;
  return { east: degreesEast * METRES_PER_DEGREE * cosine((from.latitude + to.latitude) / 2), north };
}

/** The place that lies this way from here. */
export function translate(from: LatLng, { east, north }: Offset): LatLng {
  const latitude = Math.min(90, Math.max(-90, from.latitude + north / METRES_PER_DEGREE));
  const turn = from.longitude + east / (METRES_PER_DEGREE * cosine((from.latitude + latitude) / 2));
  return { latitude, longitude: turn - 360 * Math.round(turn / 360) };
}

/** Metres. */
export function offsetLength({ east, north }: Offset): number {
  return Math.hypot(east, north);
}

export function scaleOffset({ east, north }: Offset, factor: number): Offset {
  return { east: east * factor, north: north * factor };
}

function cosine(degrees: number): number {
  return Math.max(COSINE_AT_THE_POLES, Math.cos((degrees * Math.PI) / 180));
}
