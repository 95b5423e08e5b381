import { POINT_TYPE } from './location.js';
import type { Location, PointType } from './location.js';
import type { PointFlag } from './point-flag.js';

/** Why a point cannot be stored; it is named to the watch, which must not send it again. */
export const POINT_REJECTION_REASON = {
  NOT_AN_OBJECT: 'NOT_AN_OBJECT',
  INVALID_LATITUDE: 'INVALID_LATITUDE',
  INVALID_LONGITUDE: 'INVALID_LONGITUDE',
  INVALID_POSITION_TIME: 'INVALID_POSITION_TIME',
  INVALID_RADIUS: 'INVALID_RADIUS',
  INVALID_POINT_TYPE: 'INVALID_POINT_TYPE',
  /** The same moment and kind of fix is stored with another place. */
  CONTRADICTS_STORED_POINT: 'CONTRADICTS_STORED_POINT',
  /** The watch belonged to somebody else, or to nobody, at that time. */
  NOT_BOUND_THEN: 'NOT_BOUND_THEN',
} as const;
export type PointRejectionReason = (typeof POINT_REJECTION_REASON)[keyof typeof POINT_REJECTION_REASON];

/** What became of the point at `index` of a report; an accepted one need not be sent again, a refused one must not. */
export interface PointResult {
  index: number;
  accepted: boolean;
  /** What is doubtful about an accepted point, if that is known at once. */
  flags: PointFlag[];
  reason: PointRejectionReason | null;
}

/** A point that may be stored, rebuilt from its known fields alone, or why it may not. */
export type PointValidation = { ok: true; point: Location } | { ok: false; reason: PointRejectionReason };

/** −90 to 90 degrees as plain decimal text: no exponent, no plus sign, no leading zero, at most 10 decimals. */
export const LATITUDE_PATTERN = /^-?(?:90(?:\.0{1,10})?|[1-8]?\d(?:\.\d{1,10})?)$/;

/** −180 to 180 degrees in the same form. */
export const LONGITUDE_PATTERN = /^-?(?:180(?:\.0{1,10})?|(?:1[0-7]\d|[1-9]?\d)(?:\.\d{1,10})?)$/;

/** The seed's int32. Metres. */
export const MAX_ACCURACY_RADIUS = 2_147_483_647;

/** The last moment that a date can name. Unix milliseconds. */
export const MAX_POSITION_TIME = 8_640_000_000_000_000;

const POINT_TYPES: readonly unknown[] = Object.values(POINT_TYPE);

/**
 * Is this the well-formed report of a position (specification 2.3)? Says nothing about whether it is plausible.
 * Nothing is converted: text stays text, and a number in its place is refused.
 */
export function validatePoint(value: unknown): PointValidation {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refused('NOT_AN_OBJECT');
  const { latitude, longitude, positionTime, radius, pointType } = value as Record<string, unknown>;
  if (!isDegrees(latitude, LATITUDE_PATTERN)) return refused('INVALID_LATITUDE');
  if (!isDegrees(longitude, LONGITUDE_PATTERN)) return refused('INVALID_LONGITUDE');
  if (!isIntegerUpTo(positionTime, MAX_POSITION_TIME)) return refused('INVALID_POSITION_TIME');
  if (!isIntegerUpTo(radius, MAX_ACCURACY_RADIUS)) return refused('INVALID_RADIUS');
  if (!isPointType(pointType)) return refused('INVALID_POINT_TYPE');
  return { ok: true, point: { latitude, longitude, positionTime, radius, pointType } };
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

function refused(reason: PointRejectionReason): PointValidation {
  return { ok: false, reason };
}
