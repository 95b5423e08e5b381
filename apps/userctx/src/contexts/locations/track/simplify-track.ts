import { simplify } from '@turf/simplify';
import { isCredible } from '@family-watch/domain/locations/contracts/point-flag';
import type { TrackPoint } from '@family-watch/domain/locations/contracts/visits';
import { greatCircleDistance } from '../intake/geodesy.js';
import { planeAround } from './local-plane.js';

/** How far from its first point a piece reaches that is taken for flat. Metres. */
const REACH = 10_000;
/** The algorithm recurses as deep as this at worst, and compares as many pairs as its square. */
const LONGEST_PIECE = 2_000;
/** What the plane may get wrong is taken off the tolerance. */
const SAFETY = 0.99;

/**
 * The points of a track without those that lie within `tolerance` metres of the line through the ones that stay
 * (Ramer–Douglas–Peucker). Doubtful points all stay as they are, and the line does not go through them.
 */
export function simplifyTrack<Point extends TrackPoint>(points: readonly Point[], tolerance: number): Point[] {
  const kept = new Set<Point>();
  for (const piece of piecesOf(points.filter(({ flags }) => isCredible(flags))))
    for (const point of simplifyPiece(piece, tolerance * SAFETY)) kept.add(point);
  return points.filter((point) => kept.has(point) || !isCredible(point.flags));
}

/** Pieces small enough to be flat, each from where the one before it ends; the ends of all are kept. */
function piecesOf<Point extends TrackPoint>(points: readonly Point[]): Point[][] {
  let piece: Point[] = [];
  const pieces = [piece];
  for (const point of points) {
    const [first, last] = [piece[0], piece.at(-1)];
    if (first && last && (piece.length === LONGEST_PIECE || greatCircleDistance(first.point, point.point) > REACH)) {
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
  const toPlane = planeAround(first.point);
  // The third coordinate tells which point it was: it is carried along and never looked at.
  const coordinates = piece.map(({ point }, index) => [...toPlane(point), index]);
  const line = simplify({ type: 'LineString', coordinates }, { tolerance, highQuality: true, mutate: true });
  return line.coordinates.flatMap(([, , index = -1]) => piece[index] ?? []);
}
