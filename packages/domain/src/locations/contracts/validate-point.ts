import { EARLIEST_WATCH_TIME } from '../../kernel/contracts/watch-time.js';
import { POINT_TYPE, type Location, type PointType, type PointFlag } from './location.js';

/** Why the service did not store a reported point. The watch must not send a rejected point again. */
export const POINT_REJECTION_REASON = {
  NOT_AN_OBJECT: 'NOT_AN_OBJECT',
  INVALID_LATITUDE: 'INVALID_LATITUDE',
  INVALID_LONGITUDE: 'INVALID_LONGITUDE',
  INVALID_POSITION_TIME: 'INVALID_POSITION_TIME',
  /** The time is before 2015: it is in seconds instead of milliseconds, or the watch's clock is not set. */
  POSITION_TIME_BEFORE_2015: 'POSITION_TIME_BEFORE_2015',
  INVALID_RADIUS: 'INVALID_RADIUS',
  INVALID_POINT_TYPE: 'INVALID_POINT_TYPE',
  /** A stored point has the same time and type but different coordinates. */
  CONTRADICTS_STORED_POINT: 'CONTRADICTS_STORED_POINT',
  /** The watch was bound to another child, or to none, at the time of the point. */
  NOT_BOUND_THEN: 'NOT_BOUND_THEN',
} as const;
export type PointRejectionReason = (typeof POINT_REJECTION_REASON)[keyof typeof POINT_REJECTION_REASON];

/** Result for the point at `index` of a location report. The watch must not send the point again in either case. */
export interface PointResult {
  index: number;
  accepted: boolean;
  /** Flags of an accepted point, if they are already known. */
  flags: PointFlag[];
  reason: PointRejectionReason | null;
}

/** A valid point without unknown fields, or the reason why the point is invalid. */
export type PointValidation = { isValid: true; point: Location } | { isValid: false; reason: PointRejectionReason };

/** −90 to 90 degrees as plain decimal text: no exponent, no plus sign, no leading zero, at most 32 decimals. */
export const LATITUDE_PATTERN = /^-?(?:90(?:\.0{1,32})?|[1-8]?\d(?:\.\d{1,32})?)$/;

/** −180 to 180 degrees in the form of {@link LATITUDE_PATTERN}. */
export const LONGITUDE_PATTERN = /^-?(?:180(?:\.0{1,32})?|(?:1[0-7]\d|[1-9]?\d)(?:\.\d{1,32})?)$/;

/** Maximum lengths of texts that match {@link LATITUDE_PATTERN} and {@link LONGITUDE_PATTERN}. */
export const MAX_DEGREES_LENGTH = { latitude: 36, longitude: 37 } as const;

/** Decimals of stored degrees: a hundredth of a millimetre. Receivers print many more, which measure nothing. */
const STORED_DECIMALS = 10;

/** Rounds degrees that match {@link LATITUDE_PATTERN} or {@link LONGITUDE_PATTERN} to ten decimals. */
export function roundDegrees(degrees: string): string {
  const [, decimals = ''] = degrees.split('.');
  return decimals.length > STORED_DECIMALS ? Number(degrees).toFixed(STORED_DECIMALS) : degrees;
}

/** Maximum accuracy radius in metres: the maximum of int32 (specification 2.3). */
export const MAX_ACCURACY_RADIUS = 2_147_483_647;

/** Maximum time of a point: the latest time that a `Date` can represent. Unix milliseconds. */
export const MAX_POSITION_TIME = 8_640_000_000_000_000;

const POINT_TYPES: readonly unknown[] = Object.values(POINT_TYPE);

/**
 * Checks that a value is a well-formed location (specification 2.3), not whether the location is plausible. Coordinates
 * must be text, numbers are rejected; more than ten decimals are rounded. Unknown fields, such as an altitude or a speed,
 * are dropped.
 */
export function validatePoint(value: unknown): PointValidation {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return rejected('NOT_AN_OBJECT');
  const { latitude, longitude, positionTime, radius, pointType } = value as Record<string, unknown>;
  if (!isDegrees(latitude, LATITUDE_PATTERN)) return rejected('INVALID_LATITUDE');
  if (!isDegrees(longitude, LONGITUDE_PATTERN)) return rejected('INVALID_LONGITUDE');
  if (!isIntegerUpTo(positionTime, MAX_POSITION_TIME)) return rejected('INVALID_POSITION_TIME');
  if (positionTime < EARLIEST_WATCH_TIME) return rejected('POSITION_TIME_BEFORE_2015');
  if (!isIntegerUpTo(radius, MAX_ACCURACY_RADIUS)) return rejected('INVALID_RADIUS');
  if (!isPointType(pointType)) return rejected('INVALID_POINT_TYPE');
  return {
    isValid: true,
    point: {
      latitude: roundDegrees(latitude),
      longitude: roundDegrees(longitude),
      positionTime,
      radius,
      pointType,
    },
  };
}

function isDegrees(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function isIntegerUpTo(value: unknown, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

function isPointType(value: unknown): value is PointType {
  return POINT_TYPES.includes(value);
}

function rejected(reason: PointRejectionReason): PointValidation {
  return { isValid: false, reason };
}
