import { zxyToTileId } from 'pmtiles';

const HEADER_BYTES = 127;
const NO_COMPRESSION = 1;
const VECTOR_TILES = 1;
const DEGREE_PARTS = 1e7;

/** Vector tile in the encoding of Mapbox (MVT). */
export interface Tile {
  zoom: number;
  x: number;
  y: number;
  bytes: Uint8Array;
}

/** Degrees WGS 84. */
export interface Bounds {
  west: number;
  south: number;
  east: number;
  north: number;
}

/**
 * Writes tiles into one file in the format PMTiles 3, without compression. The parts are in the order of the format:
 * header, one directory of all tiles, metadata, tiles.
 *
 * @param tiles - at least one; a directory with one level is read as a whole, so that they should be few
 * @param attribution - the source, which maps show
 */
export function createMapArchive(
  tiles: readonly Tile[],
  { west, south, east, north }: Bounds,
  attribution: string,
): Buffer {
  const entries = tiles
    .map(({ zoom, x, y, bytes }) => ({ id: zxyToTileId(zoom, x, y), bytes }))
    .sort((first, second) => first.id - second.id);
  const directory = Buffer.from([
    ...varint(entries.length),
    ...entries.flatMap(({ id }, index) => varint(id - (entries[index - 1]?.id ?? 0))),
    ...entries.flatMap(() => varint(1)), // each tile once
    ...entries.flatMap(({ bytes }) => varint(bytes.length)),
    ...entries.flatMap((_, index) => varint(index === 0 ? 1 : 0)), // each after the one before
  ]);
  const metadata = Buffer.from(JSON.stringify({ attribution }));
  const content = Buffer.concat(entries.map(({ bytes }) => bytes));
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles\u0003', 0, 'latin1');
  const metadataOffset = HEADER_BYTES + directory.length;
  const contentOffset = metadataOffset + metadata.length;
  const counts = [entries.length, entries.length, entries.length];
  [HEADER_BYTES, directory.length, metadataOffset, metadata.length, 0, 0, contentOffset, content.length, ...counts]
    .map(BigInt)
    .forEach((value, index) => header.writeBigUInt64LE(value, 8 + 8 * index));
  const zooms = tiles.map(({ zoom }) => zoom);
  const [minZoom, maxZoom] = [Math.min(...zooms), Math.max(...zooms)];
  const isInOrder = 1;
  Buffer.from([isInOrder, NO_COMPRESSION, NO_COMPRESSION, VECTOR_TILES, minZoom, maxZoom]).copy(header, 96);
  [west, south, east, north].forEach((degrees, index) => writeDegrees(header, degrees, 102 + 4 * index));
  header.writeUInt8(maxZoom, 118);
  [(west + east) / 2, (south + north) / 2].forEach((degrees, index) => writeDegrees(header, degrees, 119 + 4 * index));
  return Buffer.concat([header, directory, metadata, content]);
}

function writeDegrees(header: Buffer, degrees: number, offset: number): void {
  header.writeInt32LE(Math.round(degrees * DEGREE_PARTS), offset);
}

/** Seven bits per byte, the lowest first; the highest bit of a byte says that another one follows. */
function varint(value: number): number[] {
  const rest = Math.floor(value / 128);
  return rest === 0 ? [value] : [(value % 128) + 128, ...varint(rest)];
}
