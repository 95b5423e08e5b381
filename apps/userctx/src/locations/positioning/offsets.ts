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

/** Length of one degree of latitude. */
const METRES_PER_DEGREE = 111_195;
/** Lower bound of the cosine of the latitude, which approaches zero at the poles. */
const MIN_COSINE = 1e-6;

/**
 * Returns the offset from one point to the other on a plane that touches the Earth between the points. Within 100 km
 * and away from the poles, the offset is accurate to a few parts in a thousand. The offset crosses the date line if
 * that direction is shorter.
 */
export function offsetBetween(from: LatLng, to: LatLng): Offset {
  const longitudeDifference = to.longitude - from.longitude;
  const degreesEast = longitudeDifference - 360 * Math.round(longitudeDifference / 360);
  const north = (to.latitude - from.latitude) * METRES_PER_DEGREE;
  return { east: degreesEast * METRES_PER_DEGREE * cosine((from.latitude + to.latitude) / 2), north };
}

/** Returns the point at this offset from `from`. */
export function translate(from: LatLng, { east, north }: Offset): LatLng {
  const latitude = Math.min(90, Math.max(-90, from.latitude + north / METRES_PER_DEGREE));
  const longitude = from.longitude + east / (METRES_PER_DEGREE * cosine((from.latitude + latitude) / 2));
  return { latitude, longitude: longitude - 360 * Math.round(longitude / 360) };
}

/** Returns the length of the offset in metres. */
export function offsetLength({ east, north }: Offset): number {
  return Math.hypot(east, north);
}

function scaleOffset({ east, north }: Offset, factor: number): Offset {
  return { east: east * factor, north: north * factor };
}

function cosine(degrees: number): number {
  return Math.max(MIN_COSINE, Math.cos((degrees * Math.PI) / 180));
}

/**
 * The places where a network was observed, reduced to their mean, `latitude` and `longitude`. The individual places and
 * their order cannot be recovered.
 */
export interface LocationDistribution extends LatLng {
  /** Sum of the weights of the places. An inaccurate place has less weight. */
  weight: number;
  /** Weighted sum of the squared distances of the places from the mean, in square metres. */
  squaredDistanceSum: number;
}

/** Returns the distribution of a single place. */
export function singlePointDistribution({ latitude, longitude }: LatLng, weight: number): LocationDistribution {
  return { latitude, longitude, weight, squaredDistanceSum: 0 };
}

/** Merges two distributions. The result does not depend on the order of merging, except for rounding. */
export function mergeDistributions(one: LocationDistribution, other: LocationDistribution): LocationDistribution {
  const weight = one.weight + other.weight;
  const offset = offsetBetween(one, other);
  const squaredDistanceSum =
    one.squaredDistanceSum +
    other.squaredDistanceSum +
    (offsetLength(offset) ** 2 * one.weight * other.weight) / weight;
  return { ...translate(one, scaleOffset(offset, other.weight / weight)), weight, squaredDistanceSum };
}

/** Reduces the weight of the distribution to at most `weight`, so that later sightings still have an effect. */
export function capWeight(distribution: LocationDistribution, weight: number): LocationDistribution {
  if (distribution.weight <= weight) return distribution;
  return {
    ...distribution,
    weight,
    squaredDistanceSum: (distribution.squaredDistanceSum * weight) / distribution.weight,
  };
}
