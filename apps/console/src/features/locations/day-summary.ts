import type { Schema } from '@family-watch/client';
import { distanceBetween, positionOf } from './map/geometry.js';
import { splitAtGaps, type TrackPoint } from './track.js';

type Visit = Schema<'VisitDto'>;

/**
 * Returns how far a child has gone on a day, in metres. A stay counts as its centre, because the points of a watch at
 * rest are spread, and nothing is counted between points that are too far apart in time to know the way.
 *
 * @param points - in time order
 * @param visits - the stays among the points, in time order
 */
export function travelledDistance(points: readonly TrackPoint[], visits: readonly Visit[]): number {
  return splitAtGaps(points).reduce((total, piece) => {
    const positions = piece.map((point) => positionOf(visits.find((visit) => isDuring(point, visit)) ?? point));
    return (
      total +
      positions.reduce((sum, position, index) => sum + distanceBetween(positions[index - 1] ?? position, position), 0)
    );
  }, 0);
}

function isDuring({ positionTime }: TrackPoint, { from, to }: Visit): boolean {
  return from <= positionTime && positionTime <= to;
}
