import type { Position } from '../features/locations/map/coordinates.js';
import { distanceBetween } from '../features/locations/map/geometry.js';

/** A way to walk. */
export interface Route {
  readonly positions: readonly Position[];
  /** Metres from the beginning to each position. */
  readonly distances: readonly number[];
  /** Metres. */
  readonly length: number;
}

export function createRoute(positions: readonly Position[]): Route {
  let length = 0;
  const distances = positions.map((position, index) => {
    const previous = positions[index - 1];
    if (previous) length += distanceBetween(previous, position);
    return length;
  });
  return { positions, distances, length };
}

/** Returns the position after a number of metres on a route; beyond its end, its end. */
export function positionAfter({ positions, distances }: Route, metres: number): Position | undefined {
  const next = distances.findIndex((distance) => distance > metres);
  if (next < 0) return positions.at(-1);
  const [to, from] = [positions[next], positions[next - 1]];
  if (!to || !from) return positions[0];
  const begin = distances[next - 1] ?? 0;
  const share = (metres - begin) / ((distances[next] ?? begin) - begin);
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
}
