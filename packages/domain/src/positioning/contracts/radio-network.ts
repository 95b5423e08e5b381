import { isOptedOut, isGloballyAdministeredMac, normalizeMac } from './mac-address.js';
import type { AccessPoint, CellTower, RadioEnvironment } from './radio-environment.js';

/** Kinds of networks whose locations the service estimates: an access point, a cell, or the area of a cell. */
export const NETWORK_KIND = { WIFI: 'WIFI', CELL: 'CELL', AREA: 'AREA' } as const;
export type NetworkKind = (typeof NETWORK_KIND)[keyof typeof NETWORK_KIND];

/** An observed network. */
export interface ObservedNetwork {
  kind: NetworkKind;
  /** Identifies the network within its kind. */
  name: string;
  /** Signal strength in dBm; `null` if the watch did not report the signal strength. */
  signalStrength: number | null;
}

/** Values that phones report while the cell or the area is unknown. */
const UNKNOWN_CELL_IDS: readonly number[] = [0, 65_535, 268_435_455, 2 ** 36 - 1];
const UNKNOWN_AREA_CODES: readonly number[] = [0, 65_534, 65_535, 2 ** 24 - 1];

/**
 * Returns the access points whose locations the service may store and look up: globally administered and not opted out.
 */
export function filterPermittedAccessPoints(accessPoints: readonly AccessPoint[]): AccessPoint[] {
  return accessPoints.filter((accessPoint) => !isOptedOut(accessPoint.ssid) && toWifiNetwork(accessPoint).length > 0);
}

/**
 * Returns the observed networks that help to determine a location, each once with its strongest signal. Access points
 * must be globally administered and not opted out, and cells must be fully identified.
 */
export function toObservedNetworks({ wifiAccessPoints, cellTowers }: RadioEnvironment): ObservedNetwork[] {
  const observed = [
    ...filterPermittedAccessPoints(wifiAccessPoints).flatMap(toWifiNetwork),
    ...cellTowers.flatMap(toCellNetworks),
  ];
  const strongest = new Map<string, ObservedNetwork>();
  for (const network of observed) {
    const key = `${network.kind} ${network.name}`;
    const before = strongest.get(key);
    if (!before || strengthOf(network) > strengthOf(before)) strongest.set(key, network);
  }
  return [...strongest.values()];
}

/** Returns the opted-out access points, whose stored data must be deleted. */
export function filterOptedOut({ wifiAccessPoints }: RadioEnvironment): ObservedNetwork[] {
  return wifiAccessPoints.filter(({ ssid }) => ssid !== '' && isOptedOut(ssid)).flatMap(toWifiNetwork);
}

function toWifiNetwork({ macAddress, signalStrength }: AccessPoint): ObservedNetwork[] {
  const mac = normalizeMac(macAddress);
  if (mac === null || !isGloballyAdministeredMac(mac)) return [];
  return [{ kind: NETWORK_KIND.WIFI, name: mac, signalStrength: signalStrength ?? null }];
}

function toCellNetworks(cell: CellTower): ObservedNetwork[] {
  const { radioType, mobileCountryCode, mobileNetworkCode, locationAreaCode, cellId } = cell;
  if (UNKNOWN_AREA_CODES.includes(locationAreaCode)) return [];
  const signalStrength = cell.signalStrength ?? null;
  const area = [radioType, mobileCountryCode, mobileNetworkCode, locationAreaCode].join('/');
  const networks: ObservedNetwork[] = [{ kind: NETWORK_KIND.AREA, name: area, signalStrength }];
  if (!UNKNOWN_CELL_IDS.includes(cellId))
    networks.push({ kind: NETWORK_KIND.CELL, name: `${area}/${cellId}`, signalStrength });
  return networks;
}

function strengthOf({ signalStrength }: ObservedNetwork): number {
  return signalStrength ?? -Infinity;
}
