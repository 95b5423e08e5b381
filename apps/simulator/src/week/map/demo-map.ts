import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { Position } from 'geojson';
import { createMapArchive, type Tile } from './map-archive.js';
import { BOUNDS, NEIGHBOURHOOD } from './neighbourhood.js';

/** Maps enlarge the tiles of the last zoom, whose parts are half a metre. */
const [MIN_ZOOM, MAX_ZOOM] = [11, 14];
/** Parts of a tile's side. */
const EXTENT = 4_096;
const TYPES = { Point: 1, LineString: 2, Polygon: 3 } as const;

/** Returns the map of the quarter in which the family of the demo lives, as a file that the console can draw. */
export function createDemoMap(): Buffer {
  const tiles: Tile[] = [];
  for (let zoom = MIN_ZOOM; zoom <= MAX_ZOOM; zoom++) {
    const [west, north] = project([BOUNDS.west, BOUNDS.north], zoom).map(Math.floor) as [number, number];
    const [east, south] = project([BOUNDS.east, BOUNDS.south], zoom).map(Math.floor) as [number, number];
    for (let x = west; x <= east; x++)
      for (let y = north; y <= south; y++) tiles.push({ zoom, x, y, bytes: drawTile(zoom, x, y) });
  }
  return createMapArchive(tiles, BOUNDS, 'Drawn for the demo');
}

/** Draws all features into a tile: those outside of it have coordinates outside of it, and maps cut them off. */
function drawTile(zoom: number, x: number, y: number): Uint8Array {
  const toTile = (position: Position): [number, number] => {
    const [column, row] = project(position, zoom);
    return [Math.round((column - x) * EXTENT), Math.round((row - y) * EXTENT)];
  };
  const layers = Object.entries(NEIGHBOURHOOD).map(([name, features]) => {
    const drawn = features.map(({ geometry, properties }) => {
      const { type, coordinates } = geometry;
      const lines = type === 'Polygon' ? coordinates : [type === 'Point' ? [coordinates] : coordinates];
      const shape = lines.map((line) => line.map(toTile));
      return { type: TYPES[type], geometry: type === 'Point' ? shape.flat() : shape, tags: properties };
    });
    return [name, { features: drawn }] as const;
  });
  return fromGeojsonVt(Object.fromEntries(layers), { version: 2, extent: EXTENT });
}

/** Returns column and row of a position among the tiles of a zoom, in Web Mercator. */
function project([longitude = 0, latitude = 0]: Position, zoom: number): [column: number, row: number] {
  const phi = (latitude * Math.PI) / 180;
  const count = 2 ** zoom;
  return [((longitude + 180) / 360) * count, ((1 - Math.asinh(Math.tan(phi)) / Math.PI) / 2) * count];
}
