import { offsetLength, translate, offsetBetween, scaleOffset } from './plane.js';
import type { LatLng } from './plane.js';

/**
 * Where a network was observed, reduced to the mean of all places. The individual places and their order cannot be
 * recovered. `weight` counts places; inaccurate places count less. `squaredDistanceSum` is the weighted sum of squared
 * distances from the mean, in square metres.
 */
export interface LocationDistribution extends LatLng {
  weight: number;
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

/** Scales the distribution to at most `weight`, so that new sightings still have an effect. */
export function capWeight(distribution: LocationDistribution, weight: number): LocationDistribution {
  if (distribution.weight <= weight) return distribution;
  return {
    ...distribution,
    weight,
    squaredDistanceSum: (distribution.squaredDistanceSum * weight) / distribution.weight,
  };
}
