import {
  LATITUDE_PATTERN,
  LONGITUDE_PATTERN,
  MAX_POSITION_TIME,
  MAX_ACCURACY_RADIUS,
} from '../../locations/contracts/validate-point.js';
import { normalizeMac } from './mac-address.js';
import { MAX_OBSERVED_NETWORKS, RADIO_TYPE, SIGNAL_STRENGTH_RANGE_DBM } from './radio-environment.js';
import type { AccessPoint, CellTower, RadioType, RadioEnvironment } from './radio-environment.js';

/** What a watch heard at a place that it knew from satellites. Radius in metres, time in Unix milliseconds. */
export interface Scan extends RadioEnvironment {
  latitude: string;
  longitude: string;
  radius: number;
  positionTime: number;
}

/** Why nothing was learned from a scan; it is named to the watch, which must not send it again. */
export const SCAN_REJECTION_REASON = {
  NOT_AN_OBJECT: 'NOT_AN_OBJECT',
  INVALID_LATITUDE: 'INVALID_LATITUDE',
  INVALID_LONGITUDE: 'INVALID_LONGITUDE',
  INVALID_POSITION_TIME: 'INVALID_POSITION_TIME',
  INVALID_RADIUS: 'INVALID_RADIUS',
  INVALID_ACCESS_POINTS: 'INVALID_ACCESS_POINTS',
  INVALID_CELL_TOWERS: 'INVALID_CELL_TOWERS',
  /** The place is not known well enough to say where anything else is. */
  POOR_ACCURACY: 'POOR_ACCURACY',
  /** The time lies ahead, or so far back that the surroundings may be others by now. */
  NOT_RECENT: 'NOT_RECENT',
  /** Nothing of what was heard may be learned, or nothing was heard. */
  NOTHING_TO_LEARN: 'NOTHING_TO_LEARN',
  /** Whoever owns the child's family has not agreed to it. */
  CONSENT_MISSING: 'CONSENT_MISSING',
} as const;
export type ScanRejectionReason = (typeof SCAN_REJECTION_REASON)[keyof typeof SCAN_REJECTION_REASON];

/** What became of the scan at `index` of a report; it need not be sent again either way. */
export interface ScanResult {
  index: number;
  accepted: boolean;
  reason: ScanRejectionReason | null;
}

/** A scan rebuilt from its known fields alone, or why it is none. */
export type ScanValidation = { ok: true; scan: Scan } | { ok: false; reason: ScanRejectionReason };

/** A larger circle says where the watch is, but not where an access point is. Metres. */
export const MAX_SCAN_RADIUS_METRES = 100;

const RADIO_TYPES: readonly unknown[] = Object.values(RADIO_TYPE);
const MAX_MOBILE_CODE = 999;
/** 24 bits: tracking areas of NR. */
const MAX_AREA_CODE = 2 ** 24 - 1;
/** 36 bits: NR's is the longest. */
const MAX_CELL_ID = 2 ** 36 - 1;
const MAX_SSID_LENGTH = 128;

/**
 * Is this the well-formed report of a scan? Says nothing about whether anything may be learned from it. Nothing is
 * converted: a word in the place of a number is refused.
 */
export function validateScan(value: unknown): ScanValidation {
  if (!isRecord(value)) return refused('NOT_AN_OBJECT');
  const { latitude, longitude, radius, positionTime, wifiAccessPoints = [], cellTowers = [] } = value;
  if (!isDegrees(latitude, LATITUDE_PATTERN)) return refused('INVALID_LATITUDE');
  if (!isDegrees(longitude, LONGITUDE_PATTERN)) return refused('INVALID_LONGITUDE');
  if (!isInteger(positionTime, 0, MAX_POSITION_TIME)) return refused('INVALID_POSITION_TIME');
  if (!isInteger(radius, 0, MAX_ACCURACY_RADIUS)) return refused('INVALID_RADIUS');
  const accessPoints = checkAll(wifiAccessPoints, validateAccessPoint);
  if (!accessPoints) return refused('INVALID_ACCESS_POINTS');
  const cells = checkAll(cellTowers, validateCellTower);
  if (!cells) return refused('INVALID_CELL_TOWERS');
  if (radius > MAX_SCAN_RADIUS_METRES) return refused('POOR_ACCURACY');
  return {
    ok: true,
    scan: { latitude, longitude, radius, positionTime, wifiAccessPoints: accessPoints, cellTowers: cells },
  };
}

/** @returns the access point from its known fields alone, `null` for what is none */
export function validateAccessPoint(value: unknown): AccessPoint | null {
  if (!isRecord(value)) return null;
  const { macAddress, signalStrength, ssid } = value;
  if (typeof macAddress !== 'string' || normalizeMac(macAddress) === null || !isSignal(signalStrength)) return null;
  if (ssid != null && (typeof ssid !== 'string' || ssid.length > MAX_SSID_LENGTH)) return null;
  return { macAddress, signalStrength, ssid };
}

/** @returns the cell from its known fields alone, `null` for what is none */
export function validateCellTower(value: unknown): CellTower | null {
  if (!isRecord(value)) return null;
  const { radioType, mobileCountryCode, mobileNetworkCode, locationAreaCode, cellId, signalStrength } = value;
  if (!isRadioType(radioType) || !isSignal(signalStrength)) return null;
  if (!isInteger(mobileCountryCode, 1, MAX_MOBILE_CODE) || !isInteger(mobileNetworkCode, 0, MAX_MOBILE_CODE))
    return null;
  if (!isInteger(locationAreaCode, 0, MAX_AREA_CODE) || !isInteger(cellId, 0, MAX_CELL_ID)) return null;
  return { radioType, mobileCountryCode, mobileNetworkCode, locationAreaCode, cellId, signalStrength };
}

function checkAll<Item>(list: unknown, check: (item: unknown) => Item | null): Item[] | null {
  if (!Array.isArray(list) || list.length > MAX_OBSERVED_NETWORKS) return null;
  const items: Item[] = [];
  for (const each of list) {
    const item = check(each);
    if (item === null) return null;
    items.push(item);
  }
  return items;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDegrees(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function isInteger(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

function isSignal(value: unknown): value is number | null | undefined {
  return value == null || isInteger(value, SIGNAL_STRENGTH_RANGE_DBM.min, SIGNAL_STRENGTH_RANGE_DBM.max);
}

function isRadioType(value: unknown): value is RadioType {
  return RADIO_TYPES.includes(value);
}

function refused(reason: ScanRejectionReason): ScanValidation {
  return { ok: false, reason };
}
