import type { Schema } from '@family-watch/client';
import type { Position } from './map/coordinates.js';
import { positionOf } from './map/geometry.js';

export type TrackPoint = Schema<'StoredPointDto'>;

/** Between points that are further apart in time, the page does not guess where the child was. */
export const MAX_GAP_MS = 30 * 60_000;

export interface Moment {
  /** The last point at or before the time. */
  point: TrackPoint;
  position: Position;
  /** When the gap ends that contains the time, or undefined outside of gaps. */
  gapUntil: number | undefined;
}

/** Returns where the child was at a time, on the line between two points. `points`: in time order, not empty. */
export function momentAt(points: readonly TrackPoint[], time: number): Moment | undefined {
  const index = Math.max(
    0,
    points.findLastIndex(({ positionTime }) => positionTime <= time),
  );
  const point = points[index];
  if (!point) return undefined;
  const next = points[index + 1];
  const [longitude, latitude] = positionOf(point);
  if (!next || time <= point.positionTime) return { point, position: [longitude, latitude], gapUntil: undefined };
  const duration = next.positionTime - point.positionTime;
  if (duration > MAX_GAP_MS) return { point, position: [longitude, latitude], gapUntil: next.positionTime };
  const share = (time - point.positionTime) / duration;
  const [nextLongitude, nextLatitude] = positionOf(next);
  const position: Position = [
    longitude + (nextLongitude - longitude) * share,
    latitude + (nextLatitude - latitude) * share,
  ];
  return { point, position, gapUntil: undefined };
}

/** Returns the pieces of a track between its gaps. */
export function splitAtGaps(points: readonly TrackPoint[]): TrackPoint[][] {
  const pieces: TrackPoint[][] = [];
  for (const point of points) {
    const last = pieces.at(-1)?.at(-1);
    if (last && point.positionTime - last.positionTime <= MAX_GAP_MS) pieces.at(-1)?.push(point);
    else pieces.push([point]);
  }
  return pieces;
}
