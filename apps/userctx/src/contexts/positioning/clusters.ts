import { offsetLength, offsetBetween } from './plane.js';
import type { LatLng } from './plane.js';

/**
 * Partitions the points into clusters in which no two points are further apart than the diameter. Complete linkage:
 * repeatedly merges the two closest clusters whose union fits into the diameter.
 *
 * @param diameter metres
 */
export function clustersWithin<Item extends LatLng>(points: readonly Item[], diameter: number): Item[][] {
  const distances = points.map((one) => points.map((other) => offsetLength(offsetBetween(one, other))));
  // Fast path with the same result as merging: usually all points fit into one cluster.
  if (points.length > 0 && distances.flat().every((distance) => distance <= diameter)) return [[...points]];
  let clusters = points.map((_, index) => [index]);
  for (;;) {
    const pair = closestPair(clusters, (one, other) => maxDistance(distances, one, other));
    if (!pair || pair.distance > diameter) break;
    const { one, other } = pair;
    clusters = [...clusters.filter((cluster) => cluster !== one && cluster !== other), [...one, ...other]];
  }
  return clusters.map((cluster) => points.filter((_, index) => cluster.includes(index)));
}

function closestPair(
  clusters: readonly number[][],
  distanceOf: (one: number[], other: number[]) => number,
): { one: number[]; other: number[]; distance: number } | undefined {
  let closest: { one: number[]; other: number[]; distance: number } | undefined;
  clusters.forEach((one, index) => {
    for (const other of clusters.slice(index + 1)) {
      const distance = distanceOf(one, other);
      if (!closest || distance < closest.distance) closest = { one, other, distance };
    }
  });
  return closest;
}

function maxDistance(distances: readonly number[][], one: readonly number[], other: readonly number[]): number {
  return Math.max(...one.flatMap((from) => other.map((to) => distances[from]?.[to] ?? Infinity)));
}
