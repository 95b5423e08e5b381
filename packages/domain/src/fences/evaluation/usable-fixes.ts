import { POINT_TYPE } from '../../locations/contracts/location.js';
import type { Location, PointType } from '../../locations/contracts/location.js';
import { isCredible } from '../../locations/contracts/point-flag.js';
import type { PointFlag } from '../../locations/contracts/point-flag.js';
import { compareFixes } from '../geometry/compile-shape.js';
import type { Fix } from '../geometry/compile-shape.js';

/** A reported point with what is doubtful about it. */
export interface FlaggedPoint {
  point: Location;
  flags: readonly PointFlag[];
}

/** Kinds of fixes that know on which side of a fence a child is: a cell or an address alone trips nothing. */
export const TRUSTED_POINT_TYPES: readonly PointType[] = [POINT_TYPE.GPS, POINT_TYPE.WIFI];

/** What fences may be judged by, in the order in which it is judged. */
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
