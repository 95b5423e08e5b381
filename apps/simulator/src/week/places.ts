import { POINT_TYPE, type PointType } from '@family-watch/domain/locations/contracts/location';
import { distanceInMetres, toJourney, type JourneyPoint } from '../track/journey.js';

/** Degrees WGS 84: latitude and longitude. */
type Corner = readonly [latitude: number, longitude: number];

/** A place where the children stay, and what fixes of the watch look like there. */
export interface Place {
  corner: Corner;
  pointType: PointType;
  /** Accuracy radius in metres. */
  radius: number;
  /** Distance in metres that the child moves around the centre of the place. */
  movement: number;
  /** Number of fixes of which one is by cells only, because the watch receives no Wi-Fi; absent if there is none. */
  cellFixPeriod?: number;
}

/** The places of the week, in one quarter of Hangzhou. The watch has no GPS reception in buildings. */
export const PLACES = {
  home: { corner: [30.2762, 120.129], pointType: POINT_TYPE.WIFI, radius: 28, movement: 8 },
  school: { corner: [30.2811, 120.1368], pointType: POINT_TYPE.WIFI, radius: 35, movement: 15, cellFixPeriod: 9 },
  park: { corner: [30.2725, 120.1391], pointType: POINT_TYPE.GPS, radius: 9, movement: 30 },
  grandma: { corner: [30.2668, 120.1312], pointType: POINT_TYPE.WIFI, radius: 30, movement: 8 },
} as const satisfies Record<string, Place>;

export type PlaceName = keyof typeof PLACES;

const MAX_PLACE_RADIUS_METRES = 120;

/** The street corners between two places; a way back has the same corners. */
const STREETS: readonly [PlaceName, PlaceName, readonly Corner[]][] = [
  [
    'home',
    'school',
    [
      [30.2764, 120.1318],
      [30.279, 120.1319],
      [30.2792, 120.1352],
      [30.281, 120.1353],
    ],
  ],
  [
    'school',
    'park',
    [
      [30.281, 120.1388],
      [30.2762, 120.1387],
      [30.2758, 120.1395],
    ],
  ],
  [
    'park',
    'home',
    [
      [30.2724, 120.1333],
      [30.2749, 120.133],
      [30.2748, 120.1291],
    ],
  ],
  [
    'home',
    'grandma',
    [
      [30.274, 120.1289],
      [30.2739, 120.1311],
      [30.2691, 120.1313],
    ],
  ],
];

/** Milliseconds between two points of a walk. */
const POINT_INTERVAL_MS = 15_000;

/** Returns the walk between two places at walking pace. @throws Error if no streets connect the places */
export function walkBetween(from: PlaceName, to: PlaceName): JourneyPoint[] {
  const forward = STREETS.find(([start, end]) => start === from && end === to);
  const backward = STREETS.find(([start, end]) => start === to && end === from);
  const corners = forward?.[2] ?? backward?.[2].toReversed();
  if (!corners) throw new Error(`No streets from ${from} to ${to}`);
  const path = [PLACES[from].corner, ...corners, PLACES[to].corner];
  const journey = toJourney([path.map(([latitude, longitude]) => ({ latitude, longitude }))]);
  return journey.flatMap((point, index) => pointsUntil(point, journey[index + 1]));
}

/** Returns points on the straight street from one corner until before the next one. */
function pointsUntil(corner: JourneyPoint, next: JourneyPoint | undefined): JourneyPoint[] {
  if (!next) return [corner];
  const count = Math.ceil((next.offset - corner.offset) / POINT_INTERVAL_MS);
  return Array.from({ length: count }, (_, index) => {
    const between = (start: number, end: number) => start + ((end - start) * index) / count;
    return {
      latitude: between(corner.latitude, next.latitude),
      longitude: between(corner.longitude, next.longitude),
      offset: Math.round(between(corner.offset, next.offset)),
    };
  });
}

/** Returns a place that streets connect with this place. */
export function neighbourOf(place: PlaceName): PlaceName {
  return place === 'park' || place === 'grandma' ? 'home' : 'park';
}

/** Returns the place where a fix is, or `undefined` for a fix on the way. */
export function placeOf({ latitude, longitude }: { latitude: number; longitude: number }): PlaceName | undefined {
  const names = Object.keys(PLACES) as PlaceName[];
  return names.find((name) => {
    const [placeLatitude, placeLongitude] = PLACES[name].corner;
    const metres = distanceInMetres({ latitude, longitude }, { latitude: placeLatitude, longitude: placeLongitude });
    return metres < MAX_PLACE_RADIUS_METRES;
  });
}
