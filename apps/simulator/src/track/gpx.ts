import { XMLParser } from 'fast-xml-parser';

/** A point of a recorded track, degrees WGS 84. */
export interface GpxTrackPoint {
  latitude: number;
  longitude: number;
  /** Recorded time in Unix milliseconds; absent if the file contains no time for the point. */
  time?: number;
}

/** Thrown when a file is not valid GPX or cannot be used as a walk. */
export class GpxError extends Error {
  override readonly name = 'GpxError';
}

interface GpxPoint {
  '@lat'?: string;
  '@lon'?: string;
  time?: string;
}

interface GpxSegment {
  trkpt?: GpxPoint[];
}

interface GpxTrack {
  trkseg?: (GpxSegment | string)[];
}

/** The end tag of the gpx element, or an empty gpx element, at the end of the file. */
const END_OF_GPX = /(<\/([\w-]+:)?gpx\s*>|<([\w-]+:)?gpx[^>]*\/>)\s*$/;
/** Elements that the parser always returns as arrays. */
const REPEATED_ELEMENTS = ['trk', 'trkseg', 'trkpt'];

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => REPEATED_ELEMENTS.includes(name),
});

/**
 * Returns the non-empty segments of all tracks of a GPX 1.0 or 1.1 file, in file order.
 *
 * @throws GpxError if the file is not complete GPX, has invalid coordinates or contains no track points
 */
export function parseGpx(text: string): GpxTrackPoint[][] {
  const { gpx } = parseXml(text);
  if (gpx === undefined) throw new GpxError('The file is not GPX');
  // The parser accepts unclosed elements, so a truncated file would otherwise pass as complete.
  if (!END_OF_GPX.test(text)) throw new GpxError('The file is not complete: it does not end with </gpx>');
  // The parser returns an empty element as an empty string.
  const tracks = (typeof gpx === 'string' ? [] : (gpx.trk ?? [])).filter((track) => typeof track !== 'string');
  const segments = tracks.flatMap(({ trkseg = [] }) => trkseg).filter((segment) => typeof segment !== 'string');
  const pointLists = segments.map(({ trkpt = [] }) => trkpt.map(toPoint)).filter((points) => points.length > 0);
  if (pointLists.length === 0) throw new GpxError('The file contains no track points');
  return pointLists;
}

function parseXml(text: string): { gpx?: { trk?: (GpxTrack | string)[] } | string } {
  try {
    return parser.parse(text) as ReturnType<typeof parseXml>;
  } catch (cause) {
    throw new GpxError('The file is not XML', { cause });
  }
}

function toPoint(point: GpxPoint, index: number): GpxTrackPoint {
  const latitude = parseDegrees(point['@lat'], 90);
  const longitude = parseDegrees(point['@lon'], 180);
  if (latitude === undefined || longitude === undefined) {
    throw new GpxError(`Point ${index + 1} of a segment has no valid coordinates`);
  }
  const time = point.time === undefined ? Number.NaN : Date.parse(point.time.trim());
  return Number.isNaN(time) ? { latitude, longitude } : { latitude, longitude, time };
}

function parseDegrees(text: string | undefined, maxDegrees: number): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Math.abs(value) <= maxDegrees ? value : undefined;
}
