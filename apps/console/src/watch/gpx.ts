import type { Position } from '../features/locations/map/coordinates.js';

/** The elements of GPX 1.1 that have positions, the most detailed ones first. */
const POINT_ELEMENTS = ['trkpt', 'rtept', 'wpt'];

/** Returns the positions of a GPX file in their order; of its tracks, or else of its routes or its waypoints. */
export function parseGpx(text: string): Position[] {
  const file = new DOMParser().parseFromString(text, 'application/xml');
  for (const name of POINT_ELEMENTS) {
    const positions = Array.from(file.getElementsByTagNameNS('*', name)).flatMap(toPosition);
    if (positions.length > 0) return positions;
  }
  return [];
}

function toPosition(element: Element): Position[] {
  const [latitude, longitude] = ['lat', 'lon'].map((name) => Number.parseFloat(element.getAttribute(name) ?? ''));
  if (latitude === undefined || longitude === undefined) return [];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [[longitude, latitude]] : [];
}
