import { simplify } from '@turf/simplify';
import { isCredible } from '@family-watch/domain/locations/contracts/location';
import type { TrackPoint } from './visits.js';
import { greatCircleDistance, createLocalProjection } from './geodesy.js';

/**
 * Maximum distance in metres of the points in one piece of a track from the first point of the piece. The ground is
 * treated as flat within a piece.
 */
const MAX_PIECE_EXTENT_METRES = 10_000;
/**
 * Limits the recursion depth of the algorithm and its run time. The number of comparisons per piece is at most the
 * square of the number of points.
 */
const MAX_POINTS_PER_PIECE = 2_000;
/** Reduces the tolerance by one per cent, because distances on the plane of a piece are not exact. */
const TOLERANCE_FACTOR = 0.99;

/**
 * Returns the track without the points that are within `tolerance` metres of the line through the remaining points
 * (Ramer–Douglas–Peucker algorithm). All points that are not credible remain, and the line does not pass through them.
 */
export function simplifyTrack<Point extends TrackPoint>(points: readonly Point[], tolerance: number): Point[] {
  const retained = new Set<Point>();
  for (const piece of splitIntoPieces(points.filter(({ flags }) => isCredible(flags))))
    for (const point of simplifyPiece(piece, tolerance * TOLERANCE_FACTOR)) retained.add(point);
  return points.filter((point) => retained.has(point) || !isCredible(point.flags));
}

/**
 * Splits the points into pieces small enough to be projected to a plane. Each piece starts at the last point of the
 * previous piece. The end points of all pieces remain in the simplified track.
 */
function splitIntoPieces<Point extends TrackPoint>(points: readonly Point[]): Point[][] {
  let piece: Point[] = [];
  const pieces = [piece];
  for (const point of points) {
    const [first, last] = [piece[0], piece.at(-1)];
    if (
      first &&
      last &&
      (piece.length === MAX_POINTS_PER_PIECE || greatCircleDistance(first.point, point.point) > MAX_PIECE_EXTENT_METRES)
    ) {
      piece = [last];
      pieces.push(piece);
    }
    piece.push(point);
  }
  return pieces;
}

function simplifyPiece<Point extends TrackPoint>(piece: Point[], tolerance: number): Point[] {
  const [first] = piece;
  if (!first || piece.length < 3) return piece;
  const toPlane = createLocalProjection(first.point);
  // The third coordinate is the index of the point; the algorithm ignores it.
  const coordinates = piece.map(({ point }, index) => [...toPlane(point), index]);
  const line = simplify({ type: 'LineString', coordinates }, { tolerance, highQuality: true, mutate: true });
  return line.coordinates.flatMap(([, , index = -1]) => piece[index] ?? []);
}
