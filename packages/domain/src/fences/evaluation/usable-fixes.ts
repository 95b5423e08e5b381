import { POINT_TYPE, isCredible } from '../../locations/contracts/location.js';
import type { Location, PointType, PointFlag } from '../../locations/contracts/location.js';
import { compareFixes } from '../geometry/compile-shape.js';
import type { Fix } from '../geometry/compile-shape.js';

/** A reported point with its flags. */
export interface FlaggedPoint {
  point: Location;
  flags: readonly PointFlag[];
}

/**
 * Point types that are accurate enough for fences. A point from a cell or an IP address alone triggers no fence event.
 */
export const TRUSTED_POINT_TYPES: readonly PointType[] = [POINT_TYPE.GPS, POINT_TYPE.WIFI];

/** Returns the points that fences can be evaluated with, in evaluation order. */
export function usableFixes(points: readonly FlaggedPoint[]): Fix[] {
  return points
    .filter(isUsable)
    .map(({ point }) => toFix(point))
    .sort(compareFixes);
}

export function toFix({ positionTime, latitude, longitude, radius }: Omit<Location, 'pointType'>): Fix {
  return { time: positionTime, latitude: Number(latitude), longitude: Number(longitude), radius };
}

function isUsable({ point, flags }: FlaggedPoint): boolean {
  return TRUSTED_POINT_TYPES.includes(point.pointType) && isCredible(flags);
}
