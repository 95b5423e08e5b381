import { SIGNAL_STRENGTH_RANGE_DBM } from '@family-watch/domain/locations/contracts/radio-network';
import type { AccessPointDto, CellTowerDto } from '@family-watch/domain/locations/dto/positioning.dto';
import { isRecord, validateAccessPoint, validateCellTower } from './validate-scan.js';

/*
 * Networks as Ichnaea's published schema (`ichnaea/api/locate/schema_v1.py`) reads them: numbers may be texts or have
 * decimals, and an unusable signal strength does not make the network unusable.
 */

/** Returns the access point, or `null` if it has no valid MAC address or name. */
export function toAccessPoint(value: unknown): AccessPointDto | null {
  if (!isRecord(value)) return null;
  return validateAccessPoint({ ...value, signalStrength: toSignalStrength(value['signalStrength']) });
}

/**
 * Returns the cell, or `null` if it is not fully identified or of a type whose cells are not used (`cdma`).
 * @param defaultRadioType - radio type of cells without one
 */
export function toCellTower(value: unknown, defaultRadioType: string | null | undefined): CellTowerDto | null {
  if (!isRecord(value)) return null;
  return validateCellTower({
    radioType: value['radioType'] || defaultRadioType,
    mobileCountryCode: toInteger(value['mobileCountryCode']),
    mobileNetworkCode: toInteger(value['mobileNetworkCode']),
    locationAreaCode: toInteger(value['locationAreaCode']),
    cellId: toInteger(value['cellId']),
    signalStrength: toSignalStrength(value['signalStrength']),
  });
}

function toSignalStrength(value: unknown): number | undefined {
  const strength = toInteger(value);
  const { min, max } = SIGNAL_STRENGTH_RANGE_DBM;
  return strength !== undefined && strength >= min && strength <= max ? strength : undefined;
}

/** Returns a number without its decimals; undefined for values that are no number. */
function toInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : undefined;
}
