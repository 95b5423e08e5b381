import { EARLIEST_WATCH_TIME } from '@family-watch/domain/kernel/contracts/watch-time';
import {
  MAX_OBSERVED_NETWORKS,
  RADIO_TYPE,
  SIGNAL_STRENGTH_RANGE_DBM,
  type RadioType,
} from '@family-watch/domain/locations/contracts/radio-network';
import { MAX_SCAN_RADIUS_METRES, type ScanRejectionReason } from '@family-watch/domain/locations/contracts/scan';
import {
  LATITUDE_PATTERN,
  LONGITUDE_PATTERN,
  MAX_POSITION_TIME,
  MAX_ACCURACY_RADIUS,
  roundDegrees,
} from '@family-watch/domain/locations/contracts/validate-point';
import type { AccessPointDto, CellTowerDto, ScanDto } from '@family-watch/domain/locations/dto/positioning.dto';
import { normalizeMac } from './observed-networks.js';

/** A valid scan without unknown fields, or the reason why the scan is invalid. */
export type ScanValidation = { isValid: true; scan: ScanDto } | { isValid: false; reason: ScanRejectionReason };

const RADIO_TYPES: readonly unknown[] = Object.values(RADIO_TYPE);
/** Maximum of a mobile country code and of a mobile network code: three decimal digits. */
const MAX_MOBILE_CODE = 999;
/** Maximum area code: 24 bits, the size of a tracking area code of NR (5G). */
const MAX_AREA_CODE = 2 ** 24 - 1;
/** Maximum cell id: 36 bits, the size of a cell id of NR (5G). */
const MAX_CELL_ID = 2 ** 36 - 1;
const MAX_SSID_LENGTH = 128;

/**
 * Checks that a value is a well-formed scan, not whether the service may store the observed networks. Values are not
 * converted: text is rejected where a number is required.
 */
export function validateScan(value: unknown): ScanValidation {
  if (!isRecord(value)) return rejected('NOT_AN_OBJECT');
  const { latitude, longitude, radius, positionTime, wifiAccessPoints = [], cellTowers = [] } = value;
  if (!isDegrees(latitude, LATITUDE_PATTERN)) return rejected('INVALID_LATITUDE');
  if (!isDegrees(longitude, LONGITUDE_PATTERN)) return rejected('INVALID_LONGITUDE');
  if (!isInteger(positionTime, 0, MAX_POSITION_TIME)) return rejected('INVALID_POSITION_TIME');
  if (positionTime < EARLIEST_WATCH_TIME) return rejected('POSITION_TIME_BEFORE_2015');
  if (!isInteger(radius, 0, MAX_ACCURACY_RADIUS)) return rejected('INVALID_RADIUS');
  const accessPoints = validateItems(wifiAccessPoints, validateAccessPoint);
  if (!accessPoints) return rejected('INVALID_ACCESS_POINTS');
  const cells = validateItems(cellTowers, validateCellTower);
  if (!cells) return rejected('INVALID_CELL_TOWERS');
  if (radius > MAX_SCAN_RADIUS_METRES) return rejected('POOR_ACCURACY');
  return {
    isValid: true,
    scan: {
      latitude: roundDegrees(latitude),
      longitude: roundDegrees(longitude),
      radius,
      positionTime,
      wifiAccessPoints: accessPoints,
      cellTowers: cells,
    },
  };
}

/** Returns the access point with its known fields only, or `null` if it is invalid. */
export function validateAccessPoint(value: unknown): AccessPointDto | null {
  if (!isRecord(value)) return null;
  const { macAddress, signalStrength, ssid } = value;
  if (typeof macAddress !== 'string' || normalizeMac(macAddress) === null || !isSignalStrength(signalStrength))
    return null;
  if (ssid != null && (typeof ssid !== 'string' || ssid.length > MAX_SSID_LENGTH)) return null;
  return { macAddress, signalStrength, ssid };
}

/** Returns the cell with its known fields only, or `null` if it is invalid. */
export function validateCellTower(value: unknown): CellTowerDto | null {
  if (!isRecord(value)) return null;
  const { radioType, mobileCountryCode, mobileNetworkCode, locationAreaCode, cellId, signalStrength } = value;
  if (!isRadioType(radioType) || !isSignalStrength(signalStrength)) return null;
  if (!isInteger(mobileCountryCode, 1, MAX_MOBILE_CODE) || !isInteger(mobileNetworkCode, 0, MAX_MOBILE_CODE))
    return null;
  if (!isInteger(locationAreaCode, 0, MAX_AREA_CODE) || !isInteger(cellId, 0, MAX_CELL_ID)) return null;
  return { radioType, mobileCountryCode, mobileNetworkCode, locationAreaCode, cellId, signalStrength };
}

function validateItems<Item>(list: unknown, validate: (item: unknown) => Item | null): Item[] | null {
  if (!Array.isArray(list) || list.length > MAX_OBSERVED_NETWORKS) return null;
  const items: Item[] = [];
  for (const item of list as unknown[]) {
    const validItem = validate(item);
    if (validItem === null) return null;
    items.push(validItem);
  }
  return items;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDegrees(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function isInteger(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

function isSignalStrength(value: unknown): value is number | null | undefined {
  return value == null || isInteger(value, SIGNAL_STRENGTH_RANGE_DBM.min, SIGNAL_STRENGTH_RANGE_DBM.max);
}

function isRadioType(value: unknown): value is RadioType {
  return RADIO_TYPES.includes(value);
}

function rejected(reason: ScanRejectionReason): ScanValidation {
  return { isValid: false, reason };
}
