import {
  NON_CREDIBLE_FLAGS,
  POINT_FLAG,
  type Location,
  type PointFlag,
} from '@family-watch/domain/locations/contracts/location';
import type { StoredPointDto } from '@family-watch/domain/locations/dto/track.dto';
import type { LocationPointEntity } from '@family-watch/domain/locations/entities/location.entities';
import type { AssessedPoint } from './point-assessment.js';

/** The fields that identify a point: the watch, the time and the point type. */
export interface PointOfWatch {
  did: number;
  point: Pick<Location, 'positionTime' | 'pointType'>;
}

/** Key made of watch, time and point type. A watch has at most one point of a type at any time. */
export type PointKey = `${number}/${number}/${number}`;

export function pointKeyOf({ did, point: { positionTime, pointType } }: PointOfWatch): PointKey {
  return `${did}/${positionTime}/${pointType}`;
}

/** The bit that represents each flag in the database. The meaning of a bit never changes. */
const FLAG_BITS: Readonly<Record<PointFlag, number>> = {
  [POINT_FLAG.FUTURE]: 1,
  [POINT_FLAG.LATE]: 2,
  [POINT_FLAG.IMPOSSIBLE_SPEED]: 4,
  [POINT_FLAG.POOR_ACCURACY]: 8,
  [POINT_FLAG.REPORTED_WRONG]: 16,
  [POINT_FLAG.NO_FIX]: 32,
};

/** Bits of the flags that make a point not credible. */
export const NON_CREDIBLE_BITS = toBits(NON_CREDIBLE_FLAGS);

export function toBits(flags: readonly PointFlag[]): number {
  return flags.reduce((bits, flag) => bits | FLAG_BITS[flag], 0);
}

export function fromBits(bits: number): PointFlag[] {
  return Object.values(POINT_FLAG).filter((flag) => (bits & FLAG_BITS[flag]) !== 0);
}

/** A stored point and the watch that reported it. */
export interface StoredPoint extends AssessedPoint {
  did: number;
  receivedAt: number;
}

/** A row of `userctx.location_point` as selected by `pointColumns`. */
export type PointRow = Omit<LocationPointEntity, 'cid'>;

/** The fields of a location in the order in which statements insert them. */
export const LOCATION_COLUMNS = ['positionTime', 'pointType', 'latitude', 'longitude', 'radius'] as const;

export function toStoredPoint({ did, flags, receivedAt, ...row }: PointRow): StoredPoint {
  const { positionTime, pointType, latitude, longitude, radius } = row;
  const point = { positionTime, pointType, latitude, longitude, radius };
  return { did, receivedAt, flags: fromBits(flags), point };
}

export function toStoredPointDto({ point, flags, receivedAt }: StoredPoint): StoredPointDto {
  return { ...point, flags, receivedAt };
}
