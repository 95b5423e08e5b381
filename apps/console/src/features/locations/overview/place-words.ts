import type { Schema } from '@family-watch/client';
import { centreOf, presenceIn } from '../fences/shape.js';
import { bearingBetween, distanceBetween, positionOf } from '../map/geometry.js';

type Fence = Pick<Schema<'FenceDto'>, 'fenceId' | 'name' | 'circle' | 'polygon'>;
type Location = Pick<Schema<'ChildLocationDto'>, 'latitude' | 'longitude' | 'radius'>;

/** A place that is farther away says nothing about where the child is. Metres. */
const MAX_DISTANCE = 100_000;

/** Directions clockwise from north, as their texts are named. */
const DIRECTIONS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Where a location is in relation to the places of the child. */
export type PlaceWords =
  /** In a place; not certain if the circle of the location reaches out of it. */
  | { readonly kind: 'at'; readonly fence: Fence; readonly isCertain: boolean }
  /** `metres` from the centre of the nearest place, in a direction as seen from there. */
  | { readonly kind: 'near'; readonly fence: Fence; readonly metres: number; readonly direction: Direction };

/** Returns undefined if no place is within 100 km. */
export function placeWordsOf(fences: readonly Fence[], location: Location): PlaceWords | undefined {
  const position = positionOf(location);
  const places = fences
    .map((fence) => ({
      fence,
      presence: presenceIn(fence, location),
      metres: distanceBetween(centreOf(fence), position),
    }))
    .sort((one, other) => one.metres - other.metres);
  const at =
    places.find(({ presence }) => presence === 'inside') ?? places.find(({ presence }) => presence === 'uncertain');
  if (at) return { kind: 'at', fence: at.fence, isCertain: at.presence === 'inside' };
  const [nearest] = places;
  if (!nearest || nearest.metres > MAX_DISTANCE) return undefined;
  const { fence, metres } = nearest;
  return { kind: 'near', fence, metres, direction: directionOf(bearingBetween(centreOf(fence), position)) };
}

/** Returns when the child entered a fence in which it still is, or undefined if the events do not say so. */
export function enteredAt(events: readonly Schema<'FenceEventDto'>[], fenceId: string): number | undefined {
  const last = events.find((event) => event.fenceId === fenceId && (event.type === 'ENTERED' || event.type === 'LEFT'));
  return last?.type === 'ENTERED' ? last.time : undefined;
}

/** Returns a distance in words: 350 m, 4.2 km. */
export function formatDistance(metres: number, language: string): string {
  const isFar = metres >= 1_000;
  const value = isFar ? metres / 1_000 : Math.max(10, Math.round(metres / 10) * 10);
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: isFar ? 'kilometer' : 'meter',
    maximumFractionDigits: isFar && value < 10 ? 1 : 0,
  }).format(value);
}

/** `bearing`: radians, clockwise from north. */
function directionOf(bearing: number): Direction {
  const index = Math.round((bearing / (2 * Math.PI)) * DIRECTIONS.length);
  return DIRECTIONS[(index + DIRECTIONS.length) % DIRECTIONS.length] ?? 'N';
}
