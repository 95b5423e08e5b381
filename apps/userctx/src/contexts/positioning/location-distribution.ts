import { offsetLength, translate, offsetBetween, scaleOffset } from './plane.js';
import type { LatLng } from './plane.js';

/**
 * Where something was heard, as one mean of all places: nothing says which places these were, or in what order.
 * `weight` counts places, a poorly known one for less; `scatter` is the weighted sum of their squared distances
 * from the mean, in square metres.
 */
export interface LocationDistribution extends LatLng {
  weight: number;
  scatter: number;
}

/** The cloud of one place. */
export function singlePointDistribution({ latitude, longitude }: LatLng, weight: number): LocationDistribution {
  return { latitude, longitude, weight, scatter: 0 };
}

/** Both together. In whatever order clouds are joined, the result is the same but for rounding. */
export function mergeDistributions(one: LocationDistribution, other: LocationDistribution): LocationDistribution {
  const weight = one.weight + other.weight;
  const way = offsetBetween(one, other);
  const scatter = one.scatter + other.scatter + (offsetLength(way) ** 2 * one.weight * other.weight) / weight;
  return { ...translate(one, scaleOffset(way, other.weight / weight)), weight, scatter };
}

/** The same shape with at most this weight, so that what is new still counts. */
export function capWeight(cloud: LocationDistribution, weight: number): LocationDistribution {
  if (cloud.weight <= weight) return cloud;
  return { ...cloud, weight, scatter: (cloud.scatter * weight) / cloud.weight };
}
