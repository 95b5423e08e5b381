import {
  POINT_TYPE,
  isCredible,
  type Location,
  type PointType,
  type PointFlag,
} from '@family-watch/domain/locations/contracts/location';
import { compareFixes, type Fix } from '../geometry/compile-shape.js';

/** A reported location point with its flags. */
export interface FlaggedPoint {
  point: Location;
  flags: readonly PointFlag[];
}

/**
 * Types of points that are accurate enough for fences. Points located only by a cell or an IP address are not
 * evaluated.
 */
export const TRUSTED_POINT_TYPES: readonly PointType[] = [POINT_TYPE.GPS, POINT_TYPE.WIFI];

/** Returns the fixes of the credible points of a trusted type, in evaluation order. */
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
