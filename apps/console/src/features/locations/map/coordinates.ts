import gcoord from 'gcoord';

/** Decimal degrees. */
export type Position = readonly [longitude: number, latitude: number];

/**
 * Coordinate system of a map. The service and the watches use WGS 84. Maps that are published in China use GCJ-02, which
 * shifts places in China by some hundred metres and no others.
 */
export type MapCoordinates = 'wgs84' | 'gcj02';

/** Returns where a map shows a position. */
export function toMapPosition([longitude, latitude]: Position, coordinates: MapCoordinates): [number, number] {
  if (coordinates === 'wgs84') return [longitude, latitude];
  return gcoord.transform([longitude, latitude], gcoord.WGS84, gcoord.GCJ02);
}

/** Returns the position that a map shows at a place. */
export function fromMapPosition([longitude, latitude]: Position, coordinates: MapCoordinates): [number, number] {
  if (coordinates === 'wgs84') return [longitude, latitude];
  return gcoord.transform([longitude, latitude], gcoord.GCJ02, gcoord.WGS84);
}
