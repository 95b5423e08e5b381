import { length, moved, offset, scaled } from './plane.js';
import type { Place } from './plane.js';

/**
 * Where something was heard, as one mean of all places: nothing says which places these were, or in what order.
 * `weight` counts places, a poorly known one for less; `scatter` is the weighted sum of their squared distances
 * from the mean, in square metres.
 */
export interface Cloud extends Place {
  weight: number;
  scatter: number;
}

/** The cloud of one place. */
export function cloudAt({ latitude, longitude }: Place, weight: number): Cloud {
  return { latitude, longitude, weight, scatter: 0 };
}

/** Both together. In whatever order clouds are joined, the result is the same but for rounding. */
export function joined(one: Cloud, other: Cloud): Cloud {
  const weight = one.weight + other.weight;
  const way = offset(one, other);
  const scatter = one.scatter + other.scatter + (length(way) ** 2 * one.weight * other.weight) / weight;
  return { ...moved(one, scaled(way, other.weight / weight)), weight, scatter };
}

/** The same shape with at most this weight, so that what is new still counts. */
export function capped(cloud: Cloud, weight: number): Cloud {
  if (cloud.weight <= weight) return cloud;
  return { ...cloud, weight, scatter: (cloud.scatter * weight) / cloud.weight };
}
