import {
  MAC_ADDRESS_PATTERN,
  NETWORK_KIND,
  type NetworkKind,
} from '@family-watch/domain/locations/contracts/radio-network';
import type { AccessPointDto, CellTowerDto, ScanDto } from '@family-watch/domain/locations/dto/positioning.dto';

/** The networks observed at a location. */
export type RadioEnvironment = Pick<ScanDto, 'wifiAccessPoints' | 'cellTowers'>;

const MULTICAST_BIT = 0x01;
const LOCALLY_ADMINISTERED_BIT = 0x02;

/**
 * Network names by which owners opt out of mapping: the suffix that Google and Ichnaea define, and the word that
 * Microsoft defines.
 */
const OPT_OUT_PATTERN = /_nomap$|_optout/;

/** Returns the MAC address as twelve lower-case hexadecimal digits, or `null` if the text is not a MAC address. */
export function normalizeMac(text: string): string | null {
  return MAC_ADDRESS_PATTERN.test(text) ? text.replace(/[:-]/g, '').toLowerCase() : null;
}

/**
 * Returns true if the address permanently belongs to one device. Phones choose locally administered addresses at
 * random, and multicast addresses belong to no device; neither kind of address helps to determine a location.
 */
export function isGloballyAdministeredMac(mac: string): boolean {
  const first = Number.parseInt(mac.slice(0, 2), 16);
  return (first & (MULTICAST_BIT | LOCALLY_ADMINISTERED_BIT)) === 0 && !/^0+$/.test(mac);
}

/**
 * Returns true if the name of the network (SSID) says that its owner has opted out of mapping. A hidden network, whose
 * name is empty, also counts as opted out. A missing name does not.
 */
export function isOptedOut(ssid: string | null | undefined): boolean {
  return ssid != null && (ssid === '' || OPT_OUT_PATTERN.test(ssid));
}

/** A network that a watch observed, in the form in which the service looks it up. */
export interface ObservedNetwork {
  kind: NetworkKind;
  /** Identifies the network within its kind. */
  name: string;
  /** Signal strength in dBm; `null` if the watch did not report the signal strength. */
  signalStrength: number | null;
}

/** Cell ids that a modem reports while the cell is unknown: 0 and the maxima of 16, 28 and 36 bits. */
const UNKNOWN_CELL_IDS: readonly number[] = [0, 65_535, 268_435_455, 2 ** 36 - 1];
/**
 * Area codes that a modem reports while the area is unknown: 0, the maximum of 16 bits less one, those of 16 and 24
 * bits.
 */
const UNKNOWN_AREA_CODES: readonly number[] = [0, 65_534, 65_535, 2 ** 24 - 1];

/**
 * Returns the access points whose locations the service may store and look up: globally administered and not opted out.
 */
export function filterPermittedAccessPoints(accessPoints: readonly AccessPointDto[]): AccessPointDto[] {
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
    const strongestYet = strongest.get(key);
    if (!strongestYet || strengthOf(network) > strengthOf(strongestYet)) strongest.set(key, network);
  }
  return [...strongest.values()];
}

/** Returns the access points, except hidden ones, whose owners have opted out; their stored data must be deleted. */
export function filterOptedOut({ wifiAccessPoints }: RadioEnvironment): ObservedNetwork[] {
  return wifiAccessPoints.filter(({ ssid }) => ssid !== '' && isOptedOut(ssid)).flatMap(toWifiNetwork);
}

function toWifiNetwork({ macAddress, signalStrength }: AccessPointDto): ObservedNetwork[] {
  const mac = normalizeMac(macAddress);
  if (mac === null || !isGloballyAdministeredMac(mac)) return [];
  return [{ kind: NETWORK_KIND.WIFI, name: mac, signalStrength: signalStrength ?? null }];
}

function toCellNetworks(cell: CellTowerDto): ObservedNetwork[] {
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
