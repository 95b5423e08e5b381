import { isOptedOut, isGloballyAdministeredMac, normalizeMac } from './mac-address.js';
import type { AccessPoint, CellTower, RadioEnvironment } from './radio-environment.js';

/** What can be known by where it was heard: an access point, a cell, or the area that a cell lies in. */
export const NETWORK_KIND = { WIFI: 'WIFI', CELL: 'CELL', AREA: 'AREA' } as const;
export type NetworkKind = (typeof NETWORK_KIND)[keyof typeof NETWORK_KIND];

/** A network that was heard. */
export interface ObservedNetwork {
  kind: NetworkKind;
  /** Names the network among those of its kind. */
  name: string;
  /** dBm; `null` when the watch did not say. */
  signalStrength: number | null;
}

/** What phones report while they do not know the cell; an area's codes 0 and 65534 mean the same. */
const UNKNOWN_CELL_IDS: readonly number[] = [0, 65_535, 268_435_455, 2 ** 36 - 1];
const UNKNOWN_AREA_CODES: readonly number[] = [0, 65_534, 65_535, 2 ** 24 - 1];

/** Access points that may be learned and looked for: for good, and not against their owners' wish. */
export function filterMappable(accessPoints: readonly AccessPoint[]): AccessPoint[] {
  return accessPoints.filter((accessPoint) => !isOptedOut(accessPoint.ssid) && accessPointOf(accessPoint).length > 0);
}

/**
 * What of the surroundings says where they are, each network once and at its strongest: access points whose address
 * is theirs for good and whose owners have not asked to be left out, and cells that are fully identified.
 */
export function toObservedNetworks({ wifiAccessPoints, cellTowers }: RadioEnvironment): ObservedNetwork[] {
  const heard = [...filterMappable(wifiAccessPoints).flatMap(accessPointOf), ...cellTowers.flatMap(cellOf)];
  const strongest = new Map<string, ObservedNetwork>();
  for (const network of heard) {
    const key = `${network.kind} ${network.name}`;
    const before = strongest.get(key);
    if (!before || strengthOf(network) > strengthOf(before)) strongest.set(key, network);
  }
  return [...strongest.values()];
}

/** Access points whose owners ask to be left out: what is stored of them is to be forgotten. */
export function filterOptedOut({ wifiAccessPoints }: RadioEnvironment): ObservedNetwork[] {
  return wifiAccessPoints.filter(({ ssid }) => ssid !== '' && isOptedOut(ssid)).flatMap(accessPointOf);
}

function accessPointOf({ macAddress, signalStrength }: AccessPoint): ObservedNetwork[] {
  const mac = normalizeMac(macAddress);
  if (mac === null || !isGloballyAdministeredMac(mac)) return [];
  return [{ kind: NETWORK_KIND.WIFI, name: mac, signalStrength: signalStrength ?? null }];
}

function cellOf(cell: CellTower): ObservedNetwork[] {
  const { radioType, mobileCountryCode, mobileNetworkCode, locationAreaCode, cellId } = cell;
  if (UNKNOWN_AREA_CODES.includes(locationAreaCode)) return [];
  const signalStrength = cell.signalStrength ?? null;
  const area = [radioType, mobileCountryCode, mobileNetworkCode, locationAreaCode].join('/');
  const heard: ObservedNetwork[] = [{ kind: NETWORK_KIND.AREA, name: area, signalStrength }];
  if (!UNKNOWN_CELL_IDS.includes(cellId))
    heard.push({ kind: NETWORK_KIND.CELL, name: `${area}/${cellId}`, signalStrength });
  return heard;
}

function strengthOf({ signalStrength }: ObservedNetwork): number {
  return signalStrength ?? -Infinity;
}
